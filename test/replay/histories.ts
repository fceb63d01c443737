import { readdir, readFile } from 'node:fs/promises';

/** Versions whose runs may be under way somewhere: their histories stay as they are, for good. */
export const RELEASED: readonly string[] = [];

/** A folder for each version, with the histories that its workers wrote. */
export const HISTORIES = new URL('histories/', import.meta.url);

/** The version that package.json names: the one in work, or the one that was released last. */
export async function currentVersion(): Promise<string> {
  const text = await readFile(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { version: string }).version; // npm refuses a package.json without one
}

/**
 * The folder that new histories go to.
 *
 * @throws Error where that version is released
 */
export function folderToRecordInto(version: string, released: readonly string[] = RELEASED): URL {
  if (released.includes(version)) {
    throw new Error(
      `the histories of ${version} are released and are not recorded anew; set the next version in package.json first`,
    );
  }
  return new URL(`${version}/`, HISTORIES);
}

/** Events after which the server of some scenarios has runs go on in new ones. */
export const SHORT = 25;

/** A recorded history. */
export interface Recorded {
  /** Below `histories/`: `<version>/<scenario>.<workflow type>.json`, or `….<n>.json` of the nth run before that one. */
  path: string;
  version: string;
  scenario: string;
  type: string;
}

/** All that is recorded, of every version. */
export async function recordedHistories(): Promise<Recorded[]> {
  const paths = (await readdir(HISTORIES, { recursive: true }))
    .map((path) => path.replaceAll('\\', '/'))
    .sort();
  return paths.flatMap((path) => {
    const [, version, scenario, type] = /^([^/]+)\/([^./]+)\.([^./]+)(?:\.\d+)?\.json$/.exec(path) ?? [];
    if (version === undefined || scenario === undefined || type === undefined) return [];
    return { path, version, scenario, type };
  });
}

export async function readRecorded({ path }: Recorded): Promise<string> {
  return await readFile(new URL(path, HISTORIES), 'utf8');
}
