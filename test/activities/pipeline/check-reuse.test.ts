import { randomUUID } from 'node:crypto';
import { Client, Connection, ServiceError } from '@temporalio/client';
import { TestWorkflowEnvironment } from '@temporalio/testing';
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { checkReuse } from '../../../src/activities/pipeline/check-reuse.ts';
import { freePort } from '../../../src/local/temporal/free-port.ts';

let temporal: TestWorkflowEnvironment;
beforeAll(async () => {
  temporal = await TestWorkflowEnvironment.createFromExistingServer({
    address: inject('temporalAddress'),
    namespace: inject('temporalNamespace'),
  });
});
afterAll(() => temporal.teardown());

/** What the check says of a workflow of that type, which nobody works on. */
async function checkOne(workflowType: string, hasEnded = true): Promise<string[]> {
  const workflowId = `${workflowType}/${randomUUID()}`;
  const taskQueue = 'nobody';
  const handle = await temporal.client.workflow.start(workflowType, { workflowId, taskQueue, args: [{}] });
  if (hasEnded) await handle.terminate();
  try {
    return (await checkReuse(temporal.client, workflowId, undefined)).map(({ message }) => message);
  } finally {
    if (!hasEnded) await handle.terminate();
  }
}

it('takes a pipeline that the server has', async () => {
  expect(await checkOne('pipeline')).toEqual([]);
});

it('refuses a pipeline that still runs', async () => {
  expect(await checkOne('pipeline', false)).toEqual([expect.stringContaining('still runs')]);
});

it('refuses a workflow of another type', async () => {
  expect(await checkOne('generation')).toEqual([expect.stringContaining('is a workflow of type generation')]);
});

it('refuses what the server does not have', async () => {
  const [error, ...more] = await checkReuse(temporal.client, `pipeline/${randomUUID()}`, undefined);
  expect(error).toMatchObject({ path: 'reuse' });
  expect(error?.message).toContain('is no workflow that the server still has');
  expect(more).toEqual([]);
});

it('tells nothing of a pipeline while Temporal cannot be reached: the check is made again', async () => {
  const connection = Connection.lazy({ address: `127.0.0.1:${await freePort(0)}`, interceptors: [] });
  try {
    const check = checkReuse(new Client({ connection }), 'pipeline/earlier', undefined);
    await expect(check).rejects.toBeInstanceOf(ServiceError);
  } finally {
    await connection.close();
  }
});
