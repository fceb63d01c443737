import { describe, expect, it } from 'vitest';
import { formatTable } from '../../src/terminal/table.ts';

const HEAD = ['step', 'task', 'what it does'];
const ROWS = [
  ['still (image-l)', 'ae31ef78-be8d-47fe-ba20-8812353c27c1', 'a picture of a lighthouse at dawn'],
  ['clip', '', 'a film'],
];

describe('a table', () => {
  it('is as wide as its texts where nothing limits it', () => {
    expect(formatTable(HEAD, ROWS, undefined).split('\n')[3]).toBe(
      '│ still (image-l) │ ae31ef78-be8d-47fe-ba20-8812353c27c1 │ a picture of a lighthouse at dawn │',
    );
  });

  it('wraps its texts between words where the terminal is narrow', () => {
    const lines = formatTable(HEAD, ROWS, 72).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(72);
    expect(lines.slice(3, 5).map((line) => line.split('│').map((cell) => cell.trim()))).toEqual([
      ['', 'still', 'ae31ef78-be8d-47fe-ba20-8812353c27c1', 'a picture of', ''],
      ['', '(image-l)', '', 'a lighthouse', ''],
    ]);
  });

  it('becomes a block for each row where not even single words fit, so that ids stay whole', () => {
    expect(formatTable(HEAD, ROWS, 50)).toBe(
      [
        'step still (image-l)',
        '  task          ae31ef78-be8d-47fe-ba20-8812353c27c1',
        '  what it does  a picture of a lighthouse at dawn',
        'step clip',
        '  what it does  a film',
      ].join('\n'),
    );
  });
});
