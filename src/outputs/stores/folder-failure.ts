import { OutputStoreFailed } from '../output-errors.ts';

const FAILURES: Readonly<Record<string, { what: string; fix: string }>> = {
  ENOSPC: { what: 'the disk is full', fix: 'free some space there or choose a bigger disk' },
  EDQUOT: { what: 'the disk quota is used up', fix: 'free some space there or raise the quota' },
  EFBIG: { what: 'the file is larger than the disk or a limit allows', fix: 'raise the limit (ulimit -f)' },
  EACCES: { what: 'writing is not permitted', fix: "give the worker's user the right to write there" },
  EPERM: { what: 'writing is not permitted', fix: "give the worker's user the right to write there" },
  EROFS: { what: 'the file system is read-only', fix: 'mount it for writing or choose another folder' },
  ENOTDIR: { what: 'a part of the path is a file', fix: 'move that file away or choose another folder' },
  EEXIST: { what: 'a file is in the place of a folder', fix: 'move it away or choose another folder' },
  EISDIR: { what: 'a folder is in the place of a file', fix: 'move it away' },
  ENAMETOOLONG: { what: 'the path gets too long', fix: 'choose a folder with a shorter path' },
  EMFILE: { what: 'too many files are open', fix: 'raise the limit (ulimit -n)' },
  ENFILE: { what: 'too many files are open on this machine', fix: 'raise the limit of the system' },
};
/** What passes, or a person mends without another configuration. */
const AWAY: ReadonlySet<string> = new Set(
  'ENOSPC EDQUOT EMFILE ENFILE EIO ESTALE ETIMEDOUT EHOSTDOWN ENOTCONN'.split(' '),
);
const OTHER = { what: 'the file system refused', fix: 'look at the disk' };

/** Does one file operation; what it throws becomes an OutputStoreFailed that names the folder and the fix. */
export async function onFolder<T>(folder: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation();
  } catch (error) {
    throw folderFailure(error, folder);
  }
}

/** What Node's file system calls throw, told with the folder and the fix. */
export function folderFailure(error: unknown, folder: string): OutputStoreFailed {
  const code = hasErrorCode(error) ? error.code : '';
  const { what, fix } = FAILURES[code] ?? OTHER;
  return new OutputStoreFailed({
    place: `the folder ${folder}`,
    what: code === '' ? what : `${what} [${code}]`,
    fix,
    isAway: AWAY.has(code),
    cause: error,
  });
}

export function hasErrorCode(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string';
}
