import mime from 'mime';
import { OutputNotMedia } from '../output-errors.ts';
import { type TextKind, textKind } from './text-kind.ts';

/** Text of one kind is not always served under one name. */
const NAMES: Readonly<Record<TextKind, RegExp>> = {
  html: /^(?:text\/html|application\/xhtml\+xml)$/,
  svg: /^image\/svg\+xml$/,
  xml: /^(?:text|application)\/xml$|\+xml$/,
  json: /json$|^text\/(?!html)/,
  text: /^text\/(?!html)|yaml$|^application\/(?:x-subrip|ttml\+xml)$/,
};

const MEDIA = /^(?:image|audio|video)\//i;

/**
 * Refuses an error page in the place of a result: servers serve them with status 200 too. A text is taken only where
 * the record's own type, or else the URL's extension, announces a text of that kind; the server's header announces none,
 * because error pages are labelled honestly. What is no text, or plain text that the server calls media, is always taken,
 * known format or not: the result is paid for.
 *
 * @param head the file's first bytes
 * @returns what kind of text it is; undefined for none
 * @throws OutputNotMedia with the text's beginning
 */
export function expectMedia(
  head: Uint8Array,
  announced: { contentType: string | null; path: string; served: string | null },
): TextKind | undefined {
  const kind = textKind(head);
  if (kind === undefined || (kind === 'text' && MEDIA.test(announced.served ?? ''))) return undefined;
  const type = announcedType(announced);
  if (type !== undefined && NAMES[kind].test(type)) return kind;
  const beginning = Buffer.from(head.subarray(0, 200))
    .toString('utf8')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80);
  throw new OutputNotMedia(
    `the output's URL gives ${kind === 'text' ? 'plain text' : kind.toUpperCase()} instead of ${type ?? 'media'}: ${JSON.stringify(beginning)}`,
  );
}

/** An extension of the URL's path announces a type, except HTML: that is a page about the file. */
function announcedType({
  contentType,
  path,
}: {
  contentType: string | null;
  path: string;
}): string | undefined {
  const declared = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (declared !== undefined && declared !== '' && declared !== 'application/octet-stream') return declared;
  const byExtension = mime.getType(path) ?? undefined;
  return byExtension !== undefined && NAMES.html.test(byExtension) ? undefined : byExtension;
}
