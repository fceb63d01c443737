import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where `DARKROOM_OUTPUTS` points. `prefix` has no slash at its ends and may be empty. */
export type OutputLocation =
  | { kind: 'folder'; path: string }
  | { kind: 's3'; bucket: string; prefix: string; pathStyle: boolean };

const EXAMPLES = './outputs, file:///srv/outputs or s3://my-bucket/darkroom';
/** S3's own rule for bucket names, without its rarer exceptions. */
const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

/**
 * Reads the text of `DARKROOM_OUTPUTS`: a path (`~/` is the home folder), a `file:` URL or `s3://bucket/prefix`.
 *
 * @returns the location, or what is wrong with the text, as the end of a sentence
 */
export function parseOutputLocation(
  text: string,
  env: Readonly<Record<string, string | undefined>> = process.env,
): OutputLocation | string {
  const wanted = text.trim();
  if (wanted === '') return `is empty; use ${EXAMPLES}`;
  // One letter before the colon is a Windows drive.
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(wanted)?.[1]?.toLowerCase();
  if (scheme === undefined) return { kind: 'folder', path: folderPath(wanted) };
  if (scheme === 'file') return fileLocation(wanted);
  if (scheme === 's3') return s3Location(wanted, env);
  return `has the unknown scheme ${scheme}:; use ${EXAMPLES}`;
}

function folderPath(path: string): string {
  return resolve(/^~(?=[/\\]|$)/.test(path) ? join(homedir(), path.slice(1)) : path);
}

function fileLocation(text: string): OutputLocation | string {
  try {
    return { kind: 'folder', path: resolve(fileURLToPath(text)) };
  } catch {
    return `is no file URL of this machine; write it like file:///srv/outputs`;
  }
}

function s3Location(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
): OutputLocation | string {
  const match = /^s3:\/\/([^/?#]*)(?:\/([^?#]*))?$/i.exec(text);
  if (match === null) return `is no S3 location; write it like s3://my-bucket/darkroom`;
  const [, bucket = '', path = ''] = match;
  // Not repeated: people put keys in front of the bucket, as in other URLs.
  if (bucket.includes('@'))
    return 'must not hold a user name or password; the AWS SDK has variables for keys';
  if (!BUCKET.test(bucket)) {
    return `names the bucket "${bucket}", which S3 does not allow (3 to 63 of a-z, 0-9, "-" and "."); write it like s3://my-bucket/darkroom`;
  }
  const prefix = path.replace(/^\/+|\/+$/g, '');
  if (prefix.split('/').some((piece) => piece === '.' || piece === '..')) {
    return `has "." or ".." in its prefix; write it like s3://my-bucket/darkroom`;
  }
  return { kind: 's3', bucket, prefix, pathStyle: usesPathStyle(env) };
}

/**
 * Path-style addressing, which the AWS SDK has no variable for, follows `DARKROOM_S3_PATH_STYLE` (`true`, `false`);
 * without it, it is on where the SDK is pointed at another S3 server than Amazon's.
 */
export function usesPathStyle(env: Readonly<Record<string, string | undefined>>): boolean {
  const style = env['DARKROOM_S3_PATH_STYLE']?.trim();
  return style ? style === 'true' : Boolean(env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL']);
}
