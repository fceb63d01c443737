import { readFile } from 'node:fs/promises';

/** Versions whose runs may be under way somewhere: their histories stay as they are, for good. */
export const RELEASED: readonly string[] = ['0.1.0'];

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
