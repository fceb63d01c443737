import { wellFormed } from '../api/text/well-formed.ts';

const MAX_TEXT = 1_000;
const MAX_CODE = 100;

/** Text from elsewhere on one line, with nothing in it that Markdown takes for more than text. */
export function inline(text: string): string {
  const cut = text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
  return cut.replaceAll(/\s+/g, ' ').replaceAll(/[[\]<>|]/g, (character) => `\\${character}`);
}

/** The same as code, also within a table. */
export function inlineCode(text: string): string {
  return `\`${text.slice(0, MAX_CODE).replaceAll(/[`|\n]/g, '')}\``;
}

/** A link to a URL as it is meant, encoded once. */
export function link(text: string, url: string): string {
  return `[${inline(text)}](${encodeURI(decode(url))})`;
}

/** One that can be encoded without a throw. */
function decode(url: string): string {
  try {
    return decodeURI(url);
  } catch {
    return wellFormed(url);
  }
}
