import { describe, expect, it } from 'vitest';
import { oneLine, printable, printableJson } from '../../src/terminal/printable.ts';

/** A message that would clear the screen, set the title, turn red and read from right to left. */
const HOSTILE =
  '\u001b[2J\u001b]0;owned\u0007\u001b[31mpaid\u001b[0m\b\u009b1A \u202egnp.exe\u202c\u2066x\u2069\u200f';

describe('text from elsewhere', () => {
  it('reaches a terminal without anything that the terminal would act upon', () => {
    expect(printable(HOSTILE)).toBe('paid gnp.exex');
  });

  it('keeps its letters of any writing, its tabs and its lines', () => {
    const text = 'Füchse\t狐 ثعلب\r\n🦊 e\u0301 👩‍👧';
    expect(printable(text)).toBe('Füchse\t狐 ثعلب\n🦊 e\u0301 👩‍👧');
  });

  it('is one line where it stands among lines of ours', () => {
    expect(oneLine(' not this\r\n✔ completed\u2028\u0085and\tthat ')).toBe('not this ✔ completed and that');
  });

  it('is written as escapes in JSON, which reads back as the same value', () => {
    const value = { message: `${HOSTILE}\u007f`, list: ['ü'] };
    const text = printableJson(value);
    expect(text).toBe(printable(text));
    expect(JSON.parse(text)).toEqual(value);
  });
});
