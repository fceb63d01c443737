/** Shorter ones stand in other words, too; no service gives out such keys. */
const SHORTEST = 8;

/**
 * Takes an API key out of texts: some APIs repeat the key that they refuse, and what they say ends up in logs, errors and
 * workflow histories. Found also where some of its characters are escaped: in a URL, or in JSON inside of a text.
 *
 * @returns what is to be applied to each text of a parsed answer: JSON itself may spell a key in many ways
 */
export function withoutKey(apiKey: string): (text: string) => string {
  if (apiKey.length < SHORTEST) return (text) => text;
  const pattern = new RegExp(apiKey.split('').map(spellings).join(''), 'g');
  return (text) => text.replaceAll(pattern, '<the API key>');
}

/** The usual ways to write a character, as a pattern: as it is, after backslashes, as `%2F` or `%252f`, as `\u002f`. */
function spellings(character: string): string {
  const code = character.charCodeAt(0).toString(16).padStart(4, '0');
  const eitherCase = code.replaceAll(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
  // Bounded: a stranger's text of backslashes alone must not take long.
  return `(?:\\\\{0,4}\\u${code}|%(?:25){0,3}${eitherCase.slice(2)}|\\\\{1,4}u${eitherCase})`;
}
