import { isAbsolute, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseDuration } from '../policy/duration.ts';
import type { OutputLocation } from './output-location.ts';

/** How others can reach what is stored; `life` in milliseconds. */
export type PublicOutputs = { kind: 'base'; url: string } | { kind: 'presigned'; life: number };

/** The URL at which others can reach a stored file, by its own URI; undefined where they cannot. */
export type PublicUrl = (uri: string) => Promise<string | undefined>;

const PRESIGNED = 'presigned';
const USUAL_LIFE = 24 * 3_600_000;
/** What S3 allows. */
const LONGEST_LIFE = 7 * 24 * 3_600_000;

/**
 * Reads the text of `DARKROOM_PUBLIC_OUTPUTS`: the public address of the store's folder or prefix, or `presigned` with
 * how long its URLs live, like `presigned:6h`.
 *
 * @returns the setting, or what is wrong with the text, as the end of a sentence
 */
export function parsePublicOutputs(text: string): PublicOutputs | string {
  if (text === PRESIGNED) return { kind: PRESIGNED, life: USUAL_LIFE };
  if (text.startsWith(`${PRESIGNED}:`)) {
    const life = parseDuration(text.slice(PRESIGNED.length + 1)) ?? 0;
    if (life >= 60_000 && life <= LONGEST_LIFE) return { kind: PRESIGNED, life };
    return 'has no time from 1m to 168h after presigned:, which is how long S3 lets its URLs live';
  }
  const url = URL.parse(text);
  if (url === null || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    return 'must be the public address of the stored files, or presigned';
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    return 'must be an address alone, without a query, a user name or a password';
  return { kind: 'base', url: url.href.replace(/\/+$/, '') };
}

/** Where the files of a store are for others. Signing takes the AWS SDK's presigner, which is loaded on first use. */
export function createPublicUrl(location: OutputLocation, setting: PublicOutputs | undefined): PublicUrl {
  return async (uri) => {
    if (setting === undefined) return undefined;
    const key = keyOf(location, uri);
    if (key === undefined) return undefined;
    if (setting.kind === 'base') return `${setting.url}/${key.split('/').map(encodeURIComponent).join('/')}`;
    return location.kind === 's3' ? await presigned(location, key, setting.life) : undefined;
  };
}

/** A stored file's place below the store's folder or prefix; undefined where it lies elsewhere. */
export function keyOf(location: OutputLocation, uri: string): string | undefined {
  if (location.kind === 's3') {
    const start = `s3://${location.bucket}/${location.prefix === '' ? '' : `${location.prefix}/`}`;
    return uri.startsWith(start) && uri.length > start.length ? uri.slice(start.length) : undefined;
  }
  const file = pathOf(uri);
  if (file === undefined) return undefined;
  const path = relative(location.path, file);
  return path === '' || path.startsWith('..') || isAbsolute(path) ? undefined : path.split(sep).join('/');
}

/** Undefined for what is no file, or not of this machine. */
function pathOf(uri: string): string | undefined {
  try {
    return fileURLToPath(uri);
  } catch {
    return undefined;
  }
}

async function presigned(
  { bucket, prefix, pathStyle }: Extract<OutputLocation, { kind: 's3' }>,
  key: string,
  life: number,
): Promise<string> {
  const [{ GetObjectCommand, S3Client }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ]);
  const client = new S3Client({ forcePathStyle: pathStyle });
  const command = new GetObjectCommand({ Bucket: bucket, Key: prefix === '' ? key : `${prefix}/${key}` });
  return await getSignedUrl(client, command, { expiresIn: Math.floor(life / 1_000) });
}
