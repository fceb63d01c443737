import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { FAILURES, meaningOf } from '../../src/contract/failures/failures.ts';
import { PARTS } from '../../tools/failures/pages.ts';

const PAGE = readFileSync(new URL('../../docs/failures.md', import.meta.url), 'utf8');

it.each(Object.keys(PARTS))('docs/failures.md says what the table does: %s', (part) => {
  expect(PAGE).toContain(`<!-- ${part} -->\n\n${PARTS[part]}\n<!-- /${part} -->`);
});

describe("a failure's meaning is found", () => {
  it.each([
    ['CancelledFailure', FAILURES.CANCELLED],
    ['TerminatedFailure', FAILURES.TERMINATED],
    ['TimeoutFailure', FAILURES.TIMED_OUT],
    ['TIMED_OUT', FAILURES.TIMED_OUT],
    ['VIDEO_GENERATION_TIMEOUT', FAILURES.TIMEOUT],
    ['TASK_OVERDUE', FAILURES.TASK_OVERDUE],
  ])('%s', (type, meaning) => {
    expect(meaningOf(type)).toBe(meaning);
  });

  it('as that of FAILED where a code is not known, with the class of all', () => {
    expect(meaningOf('IMAGE_GENERATION_STRANGE')).toEqual({ ...FAILURES.FAILED, error: 'RunFailedError' });
    expect(meaningOf('toString').error).toBe('RunFailedError');
  });
});

it('what may still come to a result is taken over', () => {
  const open = Object.entries(FAILURES).flatMap(([type, { mayStillEnd }]) => (mayStillEnd ? type : []));
  expect(open).toEqual([
    'TASK_OVERDUE',
    'TASK_VANISHED',
    'SUBMISSION_UNKNOWN',
    'OUTPUT_UNAVAILABLE',
    'CANCELLED',
    'TERMINATED',
    'TIMED_OUT',
  ]);
});
