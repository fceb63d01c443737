import { ApplicationFailure } from '@temporalio/common';
import { expect, it } from 'vitest';
import { withWellFormedFailures } from '../../src/activities/well-formed-failures.ts';
import type { DarkroomActivities } from '../../src/contract/activities.ts';

const HALF = '\ud800';

it('what an activity fails with has no half of a surrogate pair, nor have its causes', async () => {
  const thrown = ApplicationFailure.create({ message: `cut ${HALF}`, cause: new Error(`here ${HALF}`) });
  const { getBalance } = withWellFormedFailures({
    getBalance: () => Promise.reject(thrown),
  } as unknown as DarkroomActivities); // the one that is called
  const failed = await getBalance({ workspace: 'default' }).catch((error: unknown) => error);
  expect(failed).toBe(thrown);
  expect(failed).toMatchObject({ message: 'cut \ufffd', cause: { message: 'here \ufffd' } });
  expect(thrown.stack).not.toContain(HALF);
});
