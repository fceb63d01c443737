import { type Client, ServiceError } from '@temporalio/client';
import { WorkflowNotFoundError } from '@temporalio/common';
import { expect, it } from 'vitest';
import { checkReuse } from '../../../src/activities/pipeline/check-reuse.ts';

/** A client to which the server describes every workflow in the same way. */
function clientThat(describe: () => Promise<unknown>): Client {
  return { workflow: { getHandle: () => ({ describe }) } } as unknown as Client; // all that is used of it
}

it('tells nothing of a pipeline while Temporal cannot be reached: the check is made again', async () => {
  const unreachable = clientThat(() => Promise.reject(new ServiceError('14 UNAVAILABLE')));
  await expect(checkReuse(unreachable, 'pipeline/earlier')).rejects.toThrow('UNAVAILABLE');
});

it('refuses only what the server says of the workflow', async () => {
  const missing = clientThat(() =>
    Promise.reject(new WorkflowNotFoundError('', 'pipeline/earlier', undefined)),
  );
  expect((await checkReuse(missing, 'pipeline/earlier')).map(({ path }) => path)).toEqual(['reuse']);
  const there = clientThat(async () => ({ type: 'pipeline' }));
  expect(await checkReuse(there, 'pipeline/earlier')).toEqual([]);
});
