import stringWidth from 'string-width';
import wrapAnsi from 'wrap-ansi';

/** Narrower than this is no column for words. */
const LEAST_ROOM = 20;

/** A line to be copied: the terminal's own wrapping copies back as one line, ours would not. */
const COMMAND = /^\s*(npm|npx|temporal) /;

/**
 * Breaks lines that are too long between their words, and sets what follows as far in as the line began. Words that
 * are longer than that (ids, paths) and commands stay whole.
 *
 * @param room columns of the terminal; undefined: it is none
 */
export function wrapped(text: string, room: number | undefined): string {
  if (room === undefined) return text;
  return text
    .split('\n')
    .map((line) => {
      if (stringWidth(line) <= room || COMMAND.test(line)) return line;
      const [indent = ''] = /^ */.exec(line) ?? [];
      return hanging(indent, line.slice(indent.length), room, indent);
    })
    .join('\n');
}

/** A text behind a first word or two, its further lines below its own beginning. */
export function hanging(
  head: string,
  text: string,
  room: number | undefined,
  below: string = ' '.repeat(stringWidth(head)),
): string {
  if (room === undefined) return `${head}${text}`;
  const lines = wrapAnsi(text, Math.max(LEAST_ROOM, room - stringWidth(head))).split('\n');
  return lines.map((line, index) => `${index === 0 ? head : below}${line}`).join('\n');
}
