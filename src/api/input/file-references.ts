/**
 * How requests name files that lie in Darkroom's own store: by their content (`darkroom:sha256/<hex>`, what a caller has
 * put there), or by the URI of a stored result (`file:///…`, `s3://…`). The API sees neither: a submit makes a URL of
 * each, or sends the bytes.
 */
const BY_CONTENT = /^darkroom:sha256\/([0-9a-f]{64})$/;
const STORED = /^(?:file|s3):\/\/\S+$/;
/** What JSON Schema is told of them. */
export const REFERENCE_PATTERN = 'darkroom:sha256/[0-9a-f]{64}$|(?:file|s3)://';

/** A file in the store, as a request names it. */
export function fileReference(sha256: string): string {
  return `darkroom:sha256/${sha256}`;
}

/** The SHA-256 of a file that is named by its content, else undefined. */
export function contentNamed(text: string): string | undefined {
  return BY_CONTENT.exec(text)?.[1];
}

/** Whether a text names a file of the store. */
export function isFileReference(text: string): boolean {
  return BY_CONTENT.test(text) || STORED.test(text);
}

/** Whether it was meant to: what begins like that and is none is a mistake. */
export function isMeantAsFile(text: string): boolean {
  return /^(?:darkroom|file|s3):/.test(text);
}

/** Where files lie below the store's folder or prefix that callers have put there. */
const INPUTS = 'inputs/sha256/';

export function inputKey(sha256: string): string {
  return INPUTS + sha256;
}

/** The name of a file that is sent as a part: an API that keeps it in its own URL tells by it which file it got. */
export function partName(sha256: string, extension = ''): string {
  return `${PART}${sha256}${extension}`;
}

const PART = 'darkroom-sha256-';
const OF_CONTENT = new RegExp(`/${INPUTS}([0-9a-f]{64})$`);
const OF_PART = new RegExp(`${PART}([0-9a-f]{64})(?:[.][a-z0-9]{1,12})?$`);
/** Signed as a whole: there is no parameter in it that would make another file of it. */
const IS_SIGNED = /[?&](?:x-amz-signature|signature)=/i;
/** The store writes the `/` of a workflow id as `+`; others end in `~` and a digest. No other service makes such names. */
const OF_RUN = /[+]|~[0-9a-f]{25}/;
const OF_OUTPUT = /-[0-9a-f]{16}[.][a-z0-9]{1,12}$/;

/**
 * What a text stands for when inputs are compared: two URLs that lead to the same file of the store, each with a
 * signature of its own, are equal, and equal to the reference that they were made of; so is the API's own URL of a part
 * that kept its name. Any other text stands for itself. Pure, so that workflows, which send the reference, and
 * receivers, which are told of a URL, come to the same.
 */
export function meantFile(text: string): string {
  if (!/^(?:https?|file|s3):\/\/\S+$/.test(text)) return text;
  const [path = ''] = text.split(/[?#]/, 1);
  const [, part] = OF_PART.exec(path) ?? [];
  if (part !== undefined) return fileReference(part);
  if (path !== text && !IS_SIGNED.test(text)) return text;
  const [, content] = OF_CONTENT.exec(path) ?? [];
  if (content !== undefined) return fileReference(content);
  const names = path.split('/').slice(-3).map(decoded);
  const [, run = '', output = ''] = names;
  return OF_RUN.test(run) && OF_OUTPUT.test(output) ? `darkroom:stored/${names.join('/')}` : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
