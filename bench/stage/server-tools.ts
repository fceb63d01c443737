import { execFile } from 'node:child_process';
import { rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import which from 'which';
import { cacheDirectory } from '../../src/config/cache-directory.ts';
import type { Attempt } from '../../src/local/temporal/attempt.ts';
import { buildEnvironment } from '../../src/local/temporal/build-server.ts';
import { partialFolder } from '../../src/local/temporal/partial-folder.ts';
import { progress } from '../progress.ts';

/**
 * A folder with Temporal's `server` and `temporal-sql-tool`, as its container images have them: in the cache, else
 * built by Go out of the released module, with the dependencies that it pins itself.
 */
export async function findServerTools(version: string): Promise<Attempt> {
  const path = join(cacheDirectory(), `temporal-server-${version}-${process.platform}-${process.arch}`);
  if ((await which(join(path, 'server'), { nothrow: true })) !== null) return { path };
  const go = await which('go', { nothrow: true });
  if (go === null) return { reason: "no Go (`go`) on the PATH to build Temporal's server" };
  progress(`building Temporal's server ${version}, once: some minutes`);
  const folder = await partialFolder(cacheDirectory());
  try {
    const packages = ['server', 'tools/sql'].map((name) => `go.temporal.io/server/cmd/${name}@v${version}`);
    await promisify(execFile)(go, ['install', '-trimpath', '-ldflags', '-s -w', ...packages], {
      env: { ...buildEnvironment(process.env, folder), GOBIN: folder },
    });
    await rename(join(folder, 'sql'), join(folder, 'temporal-sql-tool'));
    await rename(folder, path);
    return { path };
  } catch (error) {
    return { reason: `Go did not build Temporal's server: ${String(error).trim().split('\n').at(-1)}` };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
