import { hash } from 'node:crypto';
import { unsignedUrl } from './unsigned-url.ts';

const MAX_SEGMENT = 72;
/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;
/** Of the digest of a URL's path, and of the whole: the files of one task are told apart by both. */
const DIGITS = 8;
const OF_FILE = new RegExp(`-[0-9a-f]{${2 * DIGITS}}$`);
const PLAIN_PIECE = /^[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_-])?$/;

/**
 * Parts of any text as one key with `/` between them, which is a relative path on every file system and a plain
 * S3 key. Different parts give different keys, also where the file system ignores case: a part that is safe as it
 * is stays readable (`pipeline/demo/still` becomes `pipeline+demo+still`), every other one ends in a hash of the
 * original. No segment is empty, longer than 72 characters, `.` or `..`.
 */
export function safeKey(parts: readonly string[]): string {
  return parts.map(safeSegment).join('/');
}

/**
 * The key of one output without its extension: `<workspace>/<workflow id>/<task id>-<digests of its URL>`. A later record
 * may list the same files in another order, or others: so a file is known by where it comes from, not by its place.
 *
 * @param file the output's URL; `data`: the record's own data
 */
export function outputKeyBase(output: {
  workspace: string;
  workflowId: string;
  taskId: string;
  file: { url: string } | 'data';
}): string {
  const { workspace, workflowId, taskId, file } = output;
  const name = file === 'data' ? file : nameOf(unsignedUrl(file.url));
  return `${safeKey([workspace, workflowId, taskId])}-${name}`;
}

/** Where the files of a workflow's tasks lie: their keys are this, a slash and a name. */
export function outputFolder({ workspace, workflowId }: { workspace: string; workflowId: string }): string {
  return safeKey([workspace, workflowId]);
}

/** The id of the task whose file lies under a key; undefined where its hash alone tells parts of the id. */
export function taskIdIn(key: string): string | undefined {
  const name = /^(.+)-(?:[0-9a-f]{16}|data)\.[a-z0-9]{1,12}$/.exec(key.slice(key.lastIndexOf('/') + 1))?.[1];
  if (name?.includes('~') !== true) return name?.replaceAll('+', '/');
  const [readable = ''] = name.split('~', 1);
  return safeKey([readable]) === name ? readable : undefined;
}

function nameOf(url: string): string {
  const path = URL.parse(url)?.pathname ?? url;
  return [path, url].map((text) => hash('sha256', text, 'hex').slice(0, DIGITS)).join('');
}

/**
 * What the keys of a task's files begin with whose URLs have the same path as this one: of those one may be the same
 * file, by a URL with another parameter. Undefined where there can be none: the URL has no parameters but those that
 * sign it.
 *
 * @param base from `outputKeyBase`
 */
export function stemOfSamePath(base: string, url: string): string | undefined {
  const hasParameters = (URL.parse(unsignedUrl(url))?.search ?? '') !== '';
  return hasParameters && OF_FILE.test(base) ? base.slice(0, -DIGITS) : undefined;
}

function safeSegment(part: string): string {
  return isPlain(part) ? part.replaceAll('/', '+') : hashed(part);
}

function isPlain(part: string): boolean {
  const [stem = ''] = part.split(/[./]/, 1);
  return (
    part.length <= MAX_SEGMENT &&
    !DEVICE.test(stem) &&
    part.split('/').every((piece) => PLAIN_PIECE.test(piece))
  );
}

/** A readable beginning, `~`, and 100 bits of the hash; `~` never occurs in a plain segment. */
function hashed(part: string): string {
  const readable = part
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+/, '')
    .slice(0, 40);
  // UTF-16 and not UTF-8, where all lone surrogates become the same replacement character.
  const digest = hash('sha256', Buffer.from(part, 'utf16le'), 'hex').slice(0, 25);
  return `${readable}~${digest}`;
}
