import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createProgressDisplay } from '../../src/terminal/progress-display.ts';

/** A terminal of 80 columns that remembers what was written to it. */
function terminal(): { stream: NodeJS.WriteStream; written: () => string } {
  const stream = new PassThrough({ encoding: 'utf8' });
  const all: string[] = [];
  stream.on('data', (text: string) => all.push(text));
  const tty = Object.assign(stream, { isTTY: true, columns: 80, rows: 24 }) as unknown as NodeJS.WriteStream;
  return { stream: tty, written: () => all.join('') };
}

it('a live line that cuts off what a person has to do says it whole, once', () => {
  const { stream, written } = terminal();
  const display = createProgressDisplay(stream);
  const note = `needs a decision: npm run starter -- decide generation/${'0'.repeat(36)} resubmit`;
  for (let time = 0; time < 3; time += 1) {
    display.show([{ name: 'image-l', model: '', state: 'attention', note, elapsed: time }]);
  }
  display.end();
  expect(written().split(`image-l: ${note}\n`)).toHaveLength(2);
});

it('a live line that has room for all of it does not', () => {
  const { stream, written } = terminal();
  const display = createProgressDisplay(stream);
  display.show([{ name: 'image-l', model: '', state: 'attention', note: 'waiting for credits', elapsed: 0 }]);
  display.end();
  expect(written()).not.toContain('image-l: waiting');
});
