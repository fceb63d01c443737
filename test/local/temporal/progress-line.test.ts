import { expect, test } from 'vitest';
import { progressLine } from '../../../src/local/temporal/progress-line.ts';

function stream(isTTY: boolean) {
  const written: string[] = [];
  return { isTTY, columns: 20, write: (text: string) => written.push(text), written };
}

test('a terminal shows one line, cut to its width, and none when it is over', () => {
  const terminal = stream(true);
  const progress = progressLine(terminal);
  progress.update('short');
  progress.update('longer than the terminal is wide');
  progress.end();
  const erase = '\r\u001B[2K';
  expect(terminal.written).toEqual([`${erase}short`, `${erase}longer than the ter`, erase]);
});

test('a file or a pipe gets the first line at once and then one every 15 seconds', () => {
  const file = stream(false);
  let now = 0;
  const progress = progressLine(file, () => now);
  for (const second of [0, 1, 14, 15, 16, 31]) {
    now = second * 1_000;
    progress.update(`at ${second}`);
  }
  progress.end();
  expect(file.written).toEqual(['at 0\n', 'at 15\n', 'at 31\n']);
});
