import { readFileSync } from 'node:fs';

/** All of docs/failures.md. */
export const TEXT = readFileSync(new URL('../../docs/failures.md', import.meta.url), 'utf8');

/** A section of docs/failures.md. */
export interface Page {
  title: string;
  text: string;
  /** What is to be typed, without `npm run starter --`. */
  commands: string[];
}

/** Those of failure types and of ends from outside have their title in code; those of states have it in words. */
export const PAGES: ReadonlyMap<string, Page> = new Map(
  TEXT.split(/^## /m)
    .slice(1)
    .map((section) => {
      const [head = '', ...lines] = section.split('\n');
      const title = head.replaceAll('`', '');
      const text = lines.join('\n');
      const commands = [...text.matchAll(/^- \*\*Type:\*\* `(.+)`$/gm)].flatMap(
        ([, command]) => command ?? [],
      );
      return [title, { title, text, commands }];
    }),
);

/** The words of a page's commands, with what stands for something replaced by it. */
export function wordsOf(command: string, values: Readonly<Record<string, readonly string[]>>): string[] {
  const words = command.match(/(?:<[^>]*>|"[^"]*"|\S)+/g) ?? [];
  return words.flatMap((quoted) => {
    const word = quoted.replaceAll(/^"|"$/g, '');
    const [, name] = /^<([^>]*)>$/.exec(word) ?? [];
    if (name !== undefined) return values[name] ?? [word];
    return word.replaceAll(/<([^>]*)>/g, (whole, part: string) => values[part]?.join(' ') ?? whole);
  });
}
