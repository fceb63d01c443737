import type { Client } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
import { expect, it } from 'vitest';
import { PipelineGenerations } from '../../../src/temporal/reuse/pipeline-generations.ts';
import { stepKeys } from '../../../src/temporal/reuse/step-key.ts';

const request = { model: 'image-l', input: { prompt: 'a fox' } };

function started(workflowId: string) {
  const child = { workflowId, input: { payloads: [defaultPayloadConverter.toPayload(request)] } };
  return { startChildWorkflowExecutionInitiatedEventAttributes: child };
}

const withDeadline = <T>(_: number, ask: () => Promise<T>): Promise<T> => ask();

/** A server that counts which runs' histories are read; `answer` comes before each of them. */
function counting(answer: () => Promise<void> = async () => undefined) {
  const reads: string[] = [];
  const events = [{}, started('p/a')];
  const getHandle = (_: string, runId: string) => ({
    async fetchHistory() {
      reads.push(runId);
      await answer();
      return { events };
    },
  });
  const client = { withDeadline, workflow: { getHandle } } as unknown as Client; // all that is called
  return { reads, pipelines: new PipelineGenerations(client) };
}

const run = (runId: string, isClosed = true) => ({ workflowId: 'p', runId, isClosed });

it('the history of a closed pipeline is read once for a whole fan-out, and again once it is forgotten', async () => {
  const { reads, pipelines } = counting();
  const found = await Promise.all(Array.from({ length: 1_000 }, () => pipelines.of(run('closed'))));
  found.push(await pipelines.of(run('closed')));
  for (const generations of found)
    expect(generations).toEqual([{ workflowId: 'p/a', keys: stepKeys(request) }]);
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

it('what is kept of a generation is short, however long its input is', async () => {
  request.input.prompt = 'x'.repeat(100_000);
  const [generation] = await counting().pipelines.of(run('long'));
  expect(JSON.stringify(generation).length).toBeLessThan(200);
  request.input.prompt = 'a fox';
});

it('a pipeline that has continued as new is read back to its first run', async () => {
  const histories: Record<string, unknown[]> = {
    last: [{ workflowExecutionStartedEventAttributes: { continuedExecutionRunId: 'first' } }],
    first: [{}, started('p/early')],
  };
  const getHandle = (_: string, runId: string) => ({
    fetchHistory: async () => ({ events: histories[runId] }),
  });
  const client = { withDeadline, workflow: { getHandle } } as unknown as Client; // all that is called
  const found = await new PipelineGenerations(client).of(run('last'));
  expect(found.map(({ workflowId }) => workflowId)).toEqual(['p/early']);
});

it('generations have a key in common where their inputs are the same outputs, whatever the URLs', () => {
  const url = (text: string) => ({ model: 'upscale-q', input: { image_url: text } });
  const origins = (output: string) => ({
    image_url: { reference: { kind: 'from' as const, step: 'a', output: 0 }, outputs: [output] },
  });
  const shared = (a: string[], b: string[]) => a.filter((key) => b.includes(key));
  const one = stepKeys(url('https://api/1?signed=x'), origins('task-1#0'));
  expect(shared(one, stepKeys(url('https://api/1?signed=y'), origins('task-1#0')))).toHaveLength(1);
  expect(shared(one, stepKeys(url('https://api/1?signed=y'), origins('task-2#0')))).toEqual([]);
  expect(shared(one, stepKeys(url('https://api/1?signed=x')))).toHaveLength(1);
  expect(shared(one, stepKeys({ ...url('https://api/1?signed=x'), workspace: 'other' }))).toEqual([]);
  const fields = stepKeys({ model: 'image-l', input: { n: 1, prompt: 'x' } });
  expect(stepKeys({ model: 'image-l', input: { prompt: 'x', n: 1 } })).toEqual(fields);
});
