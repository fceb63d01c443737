import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { PipelineGenerations } from '../../../src/activities/pipeline/pipeline-generations.ts';

const request = { model: 'image-l', input: { prompt: 'a fox' } };

/** A server that counts which runs' histories are read; `answer` comes before each of them. */
function counting(answer: () => Promise<void> = async () => undefined) {
  const reads: string[] = [];
  const child = { workflowId: 'p/a', input: { payloads: [defaultPayloadConverter.toPayload(request)] } };
  const events = [{}, { startChildWorkflowExecutionInitiatedEventAttributes: child }];
  const getHandle = (_: string, runId: string) => ({
    async fetchHistory() {
      reads.push(runId);
      await answer();
      return { events };
    },
  });
  const client = { workflow: { getHandle } } as unknown as Client; // all that is called
  return { reads, pipelines: new PipelineGenerations(client) };
}

const run = (runId: string, isClosed = true) => ({ workflowId: 'p', runId, isClosed });

it('the history of a closed pipeline is read once for a whole fan-out, and again once it is forgotten', async () => {
  const { reads, pipelines } = counting();
  const found = await Promise.all(Array.from({ length: 1_000 }, () => pipelines.of(run('closed'))));
  found.push(await pipelines.of(run('closed')));
  for (const generations of found) expect(generations).toEqual([{ workflowId: 'p/a', request }]);
  expect(reads).toEqual(['closed']);
  for (let other = 0; other < 20; other += 1) await pipelines.of(run(`other ${other}`));
  await pipelines.of(run('closed'));
  expect(reads.filter((runId) => runId === 'closed')).toHaveLength(2);
});

it('the history of a running pipeline is read each time', async () => {
  const { reads, pipelines } = counting();
  await pipelines.of(run('running', false));
  await pipelines.of(run('running', false));
  await pipelines.of(run('running'));
  expect(reads).toEqual(['running', 'running', 'running']);
});

it('a history that could not be read is asked for again', async () => {
  let broken = true;
  const { reads, pipelines } = counting(() =>
    broken ? Promise.reject(new Error('down')) : Promise.resolve(),
  );
  const both = await Promise.allSettled([pipelines.of(run('closed')), pipelines.of(run('closed'))]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  broken = false;
  expect(await pipelines.of(run('closed'))).toHaveLength(1);
  expect(reads).toEqual(['closed', 'closed']);
});
