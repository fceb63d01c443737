import { expect, it } from 'vitest';
import { beginningOfRun } from '../../src/temporal/beginning-of-run.ts';

it('a run that is deleted tells by its id when it began', () => {
  expect(beginningOfRun('01a20d13-e089-7ab9-87ea-5349fc3686a2')).toBe(Date.parse('2026-11-24T10:22:16.201Z'));
});

it('an id that is no UUID of version 7 tells nothing', () => {
  expect(beginningOfRun('3b6e90e6-851c-421d-8c1a-61b661b5fb35')).toBeUndefined();
});
