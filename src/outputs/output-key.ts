import { hash } from 'node:crypto';

const MAX_SEGMENT = 72;
/** Names that Windows gives to devices, whatever extension follows. */
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)$/;
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
 * The key of one output without its extension: `<workspace>/<workflow id>/<task id>-<index>`.
 *
 * @param index the output's position in the task's result, from 0; `data`: the record's own
 */
export function outputKeyBase(output: {
  workspace: string;
  workflowId: string;
  taskId: string;
  index: number | 'data';
}): string {
  return `${safeKey([output.workspace, output.workflowId, output.taskId])}-${output.index}`;
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
