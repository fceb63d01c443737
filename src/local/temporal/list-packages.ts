import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import pLimit from 'p-limit';
import type { Packages } from './build-pace.ts';
import type { SupervisedProcess } from './supervised-process.ts';

/** For `go list -deps -f`: a package a line, with its folder and its files, none of which has a tab in its name. */
export const PACKAGE_FORMAT = String.raw`{{.ImportPath}}{{"\t"}}{{.Dir}}{{range .GoFiles}}{{"\t"}}{{.}}{{end}}`;

/** Reads what `go list` prints, to its end. */
export async function readPackages({ stdout, ended }: SupervisedProcess): Promise<Packages> {
  const packages: Promise<[string, number]>[] = [];
  const limit = pLimit(16);
  for await (const line of createInterface({ input: stdout })) {
    const [path, folder, ...files] = line.split('\t');
    // Nothing is compiled of `unsafe`: the compiler knows it.
    if (path === undefined || folder === undefined || path === 'unsafe') continue;
    packages.push(limit(async () => [path, await bytesOf(files.map((file) => join(folder, file)))]));
  }
  await ended;
  return new Map(await Promise.all(packages));
}

async function bytesOf(files: readonly string[]): Promise<number> {
  const sizes = await Promise.all(files.map((file) => stat(file).catch(() => undefined)));
  return sizes.reduce((sum, one) => sum + (one?.size ?? 0), 0);
}
