import { PassThrough } from 'node:stream';
import { stripVTControlCharacters } from 'node:util';
import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { createProgressDisplay } from '../../src/terminal/progress-display.ts';
import type { StepLine } from '../../src/terminal/step-line.ts';

/** A stream that remembers what was written to it; with columns it is a terminal. */
function stream(columns?: number): { stream: NodeJS.WriteStream; written: () => string } {
  const memory = new PassThrough({ encoding: 'utf8' });
  const all: string[] = [];
  memory.on('data', (text: string) => all.push(text));
  const tty = columns === undefined ? {} : { isTTY: true, columns, rows: 24 };
  return { stream: Object.assign(memory, tty) as unknown as NodeJS.WriteStream, written: () => all.join('') };
}

const line = (note: string, more: Partial<StepLine> = {}): StepLine => ({
  name: 'image-l',
  model: '',
  state: 'running',
  note,
  elapsed: 1_000,
  ...more,
});

describe('a live line', () => {
  it('shows the commands that it waits for whole, once, however narrow the terminal is', () => {
    const { stream: terminal, written } = stream(80);
    const display = createProgressDisplay(terminal);
    const command = `npm run starter -- decide generation/${'0'.repeat(36)} resubmit`;
    for (let time = 0; time < 3; time += 1) {
      display.show([line('needs a decision', { state: 'attention', commands: [command], elapsed: time })]);
    }
    display.end();
    expect(written().split(`\n  ${command}\n`)).toHaveLength(2);
  });

  it('takes one line of the terminal, whatever its note holds', () => {
    const { stream: terminal, written } = stream(60);
    const display = createProgressDisplay(terminal);
    display.show([line(`狐${'狐'.repeat(60)}`), line('two\nlines \u001b[31mand\u202e more')]);
    display.end();
    const shown = stripVTControlCharacters(written()).split('\n').filter(Boolean);
    for (const text of shown) expect(stringWidth(text)).toBeLessThan(60);
    expect(shown).toContainEqual(expect.stringMatching(/^. image-l {4}狐+… +1\.0 s$/u));
    expect(shown).toContainEqual(expect.stringMatching(/^. image-l {4}two lines and more +1\.0 s$/u));
    expect(written()).not.toContain('\u202e');
  });
});

describe('without a terminal', () => {
  it('each change is a line of its own, without what a terminal would act upon', () => {
    const { stream: pipe, written } = stream();
    const display = createProgressDisplay(pipe);
    display.show([line('waiting for task \u001b]0;x\u0007t1')]);
    display.show([line('waiting for task t1')]);
    display.show([line('needs a decision', { state: 'attention', commands: ['npm run starter -- decide'] })]);
    display.end();
    expect(written()).toBe(
      'image-l: waiting for task t1\nimage-l: needs a decision (1.0 s)\n  npm run starter -- decide\n',
    );
  });
});
