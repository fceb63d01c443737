import type { Caller } from './caller.ts';

/** Shorter ones stand in other words, too; no service gives out such keys. */
const SHORTEST_KEY = 8;
/** Many a header holds no secret but a name, which stands in other texts, too; a secret is no shorter than this. */
const SHORTEST_HEADER = 16;

const URL_ALONE = /^https?:\/\/\S+$/i;

/**
 * Takes the key out of texts: some APIs repeat the one that they refuse, and what they say ends up in logs, errors and
 * workflow histories. Found also where some characters are escaped: in a URL, or in JSON inside of a text.
 *
 * @returns what is to be applied to each text of a parsed answer: JSON itself may spell a secret in many ways
 */
export function withoutKey({ apiKey }: Caller): (text: string) => string {
  return hider([apiKey], SHORTEST_KEY, '<the API key>');
}

/** The same for the values of a caller's headers. A URL keeps them, a workspace's id say: else it would not lead to its file. */
export function withoutHeaders({ headers = {} }: Caller): (text: string) => string {
  const hide = hider(Object.values(headers), SHORTEST_HEADER, '<a header of the workspace>');
  return (text) => (URL_ALONE.test(text) ? text : hide(text));
}

function hider(secrets: readonly string[], shortest: number, name: string): (text: string) => string {
  // One that holds another one is found first.
  const long = secrets.filter(({ length }) => length >= shortest).sort((a, b) => b.length - a.length);
  if (long.length === 0) return (text) => text;
  const pattern = new RegExp(long.map((secret) => secret.split('').map(spellings).join('')).join('|'), 'g');
  return (text) => text.replaceAll(pattern, name);
}

/** The usual ways to write a character, as a pattern: as it is, after backslashes, as `%2F` or `%252f`, as `\u002f`. */
function spellings(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const eitherCase = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  // Bounded: a stranger's text of backslashes alone must not take long.
  return `(?:\\\\{0,4}\\u${code}|%(?:25){0,3}${eitherCase.slice(2)}|\\\\{1,4}u${eitherCase})`;
}
