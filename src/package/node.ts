/** Imports nothing and is written plainly: a Node that is too old for the rest reads this file, and says so. */

/** The oldest Node that runs what is published, and the oldest with which a clone is installed. */
export const OLDEST_NODE = { package: '22.15', clone: '20.19' } as const;

/** Which Node, in the README as well as here. */
export const WHICH_NODE = `Node ${OLDEST_NODE.package} or newer; a clone starts with ${OLDEST_NODE.clone}, and brings its own.`;

/** What to say on a Node of that version; undefined where it runs what is published. */
export function tooOld(version: string): string | undefined {
  const [major = 0, minor = 0] = numbersOf(version);
  const [oldestMajor = 0, oldestMinor = 0] = numbersOf(OLDEST_NODE.package);
  const isRecent = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
  return isRecent ? undefined : `Node ${version} is too old. ${WHICH_NODE}`;
}

/** Ends the process on a Node that is too old. Programs load their parts after it. */
export function needNode(): void {
  const words = tooOld(process.versions.node);
  if (words === undefined) return;
  process.stderr.write(`${words}\n`);
  process.exit(1);
}

function numbersOf(version: string): number[] {
  return version.split('.').map(Number);
}
