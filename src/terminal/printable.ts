import { stripVTControlCharacters } from 'node:util';

/**
 * What a terminal acts upon instead of showing it: control characters (cursor moves, colours, window titles) but for
 * the tab and the line feed, and the marks that turn the direction of writing around.
 */
const ACTED_UPON = /[[\p{Cc}\p{Bidi_Control}\u2028\u2029]--[\t\n]]/gv;

/**
 * Text from elsewhere (the API's messages, callers' prompts and ids) as it may reach a terminal: it can move nothing,
 * colour nothing, and read in no other order than it is in. Its lines stay lines.
 */
export function printable(text: string): string {
  return stripVTControlCharacters(text.replaceAll('\r\n', '\n')).replaceAll(ACTED_UPON, '');
}

/** The same in one line: a message that stands among lines of ours cannot pretend to be one of them. */
export function oneLine(text: string): string {
  return printable(text.replaceAll(/[\s\u0085]+/g, ' ')).trim();
}

/** A value as a JSON document, with such characters written as escapes: it reads back as the same value. */
export function printableJson(value: unknown): string {
  return escapedJson(JSON.stringify(value, undefined, 2));
}

/** A JSON document, as text, with such characters written as escapes. */
export function escapedJson(text: string): string {
  return text.replaceAll(
    ACTED_UPON,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
