import { randomUUID } from 'node:crypto';
import type { Client, Connection } from '@temporalio/client';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { DarkroomMetrics } from '../../../src/activities/metrics.ts';
import { tellProof } from '../../../src/activities/unclaimed-tasks/tell-proof.ts';
import type { SubmitProof } from '../../../src/contract/entities/claims.ts';
import { connectClient } from '../../../src/temporal/connection.ts';

let client: Client & { connection: Connection };
beforeAll(async () => {
  client = await connectClient({
    address: inject('temporalAddress'),
    namespace: inject('temporalNamespace'),
  });
});
afterAll(() => client.connection.close());

const LATE = 'darkroom_late_proofs_total';

/** What is said of a proof, and whether it counts as one of a charge. @param isOpen whether its run goes on */
async function told(credits: number, outcome?: SubmitProof['outcome'], isOpen = false) {
  const workflowId = `generation/${randomUUID()}`;
  const options = { workflowId, taskQueue: 'nobody works here', args: [{ model: 'image-l', input: {} }] };
  const run = await client.workflow.start('generation', options);
  if (!isOpen) await run.terminate();
  const words: string[] = [];
  const registry = new Registry();
  const usage = { total: credits, subscription: credits, permanent: 0 };
  const { taken } = await tellProof(
    {
      temporal: client,
      metrics: new DarkroomMetrics(registry, []),
      log: { warn: (_, message) => void words.push(message) },
      payers: { found() {}, ended() {} },
    },
    {
      workspace: 'default',
      workflowId,
      firstRunId: run.firstExecutionRunId,
      model: 'image-l',
      paidBy: undefined,
      proof: { claimId: `${run.firstExecutionRunId}.a`, taskId: 't', usage, ...(outcome && { outcome }) },
    },
  );
  if (isOpen) await run.terminate();
  expect(taken).toBe(isOpen);
  const counts = await registry.getSingleMetric(LATE)?.get();
  return [words[0], counts?.values.reduce((sum, { value }) => sum + value, 0)];
}

describe('the late proof of a submit that was given up', () => {
  it('says that nobody uses what was charged, where no run has taken the task', async () => {
    const end = 'was charged after all: nobody uses its task';
    expect(await told(8)).toEqual([expect.stringContaining(end), 1]);
    expect(await told(8, 'completed')).toEqual([expect.stringContaining(end), 1]);
  });

  it('says that its run knows of it, where that one goes on', async () => {
    const end = 'was charged after all: its run is told';
    expect(await told(8, 'completed', true)).toEqual([expect.stringContaining(end), 1]);
  });

  it('says how a task has ended that nobody could use', async () => {
    const end = 'was charged after all: its task has failed';
    expect(await told(8, 'failed')).toEqual([expect.stringContaining(end), 1]);
  });

  it('does not say that anything was charged, nor counts it, where the task was free', async () => {
    const end = 'was accepted after all: its task was canceled';
    expect(await told(0, 'canceled')).toEqual([expect.stringContaining(end), 0]);
  });

  it('counts as a charge before its price is known', async () => {
    const end = 'was accepted after all: nobody uses its task';
    expect(await told(0)).toEqual([expect.stringContaining(end), 1]);
  });
});
