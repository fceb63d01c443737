import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { createLog, loggable } from '../../src/worker/log.ts';
import { eventually } from '../eventually.ts';

/** Clears the screen, by an escape and by a control character of the upper set; turns red; reads from right to left. */
const HOSTILE = '\u001b[2J\u009b2Jpaid\u001b[31m \u202egnp.exe\u2066';
const ACTED_UPON = /[[\p{Cc}\p{Bidi_Control}]--[\n]]/v;

/** What a log has written of one line. */
async function written(isTTY: boolean): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'darkroom-log-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'log');
  createLog('info', { fd: openSync(path, 'w'), isTTY }).warn(
    { workflowId: HOSTILE },
    `refused: ${HOSTILE}\nsecond`,
  );
  return await eventually(() => {
    const text = readFileSync(path, 'utf8');
    expect(text).toContain('gnp.exe');
    return text;
  });
}

it('a line on a terminal has nothing of what came from elsewhere that a terminal would act upon', async () => {
  const line = await written(true);
  expect(line.trimEnd().split('\n')).toHaveLength(1);
  expect(stripVTControlCharacters(line)).not.toMatch(ACTED_UPON); // without its own colours
  expect(line).toContain('refused: paid gnp.exe second');
});

it('a line of JSON has it as escapes, and reads back as it was', async () => {
  const line = await written(false);
  expect(line).not.toMatch(ACTED_UPON);
  expect(JSON.parse(line)).toMatchObject({ workflowId: HOSTILE, msg: `refused: ${HOSTILE}\nsecond` });
});

it('what the SDK logs is cut where it is endless, and its errors are told without a stack', () => {
  const error = new RangeError('out of range');
  expect(loggable({ error, workflowId: 'generation/a', attempt: 2 })).toEqual({
    error: 'RangeError: out of range',
    workflowId: 'generation/a',
    attempt: 2,
  });
  const { currentEvents } = loggable({ currentEvents: 'x'.repeat(1_600_000) });
  expect(currentEvents).toBe(`${'x'.repeat(2_000)}… (1600000 characters)`);
});
