import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The Go module that pins the Temporal CLI, its server and its Web UI. */
const PINNED_MODULE = fileURLToPath(new URL('../../../tools/temporal-server', import.meta.url));

export interface PinnedCli {
  /** The Temporal CLI's version, without a `v`. */
  version: string;
  /** The oldest Go that builds it. */
  goVersion: string;
  /** The folder with go.mod and go.sum. */
  module: string;
  /** The binary's name in the cache: other versions, platforms or dependencies have other names. */
  fileName: string;
}

/** Reads what tools/temporal-server pins; `platform` and `arch` as in node:process. */
export async function readPinnedCli(
  platform: NodeJS.Platform = process.platform,
  arch: string = process.arch,
): Promise<PinnedCli> {
  const goMod = await readFile(join(PINNED_MODULE, 'go.mod'), 'utf8');
  const goSum = await readFile(join(PINNED_MODULE, 'go.sum'), 'utf8');
  const version = firstGroup(/^\s*github\.com\/temporalio\/cli v(\S+)/m, goMod);
  const key = createHash('sha256').update(goMod).update(goSum).digest('hex').slice(0, 8);
  return {
    version,
    goVersion: firstGroup(/^go (\S+)/m, goMod),
    module: PINNED_MODULE,
    fileName: `temporal-${version}-${platform}-${arch}-${key}${platform === 'win32' ? '.exe' : ''}`,
  };
}

function firstGroup(pattern: RegExp, goMod: string): string {
  const group = pattern.exec(goMod)?.[1];
  if (group === undefined) throw new Error(`${join(PINNED_MODULE, 'go.mod')} has nothing like ${pattern}`);
  return group;
}
