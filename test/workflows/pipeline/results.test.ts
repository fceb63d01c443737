import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import type { StepItem } from '../../../src/contract/pipeline.ts';
import type { StepStage } from '../../../src/contract/steps/carried-pipeline.ts';
import { fitted } from '../../../src/contract/steps/room.ts';
import { answered } from '../../../src/workflows/pipeline/answers.ts';
import { costsIn } from '../../../src/workflows/pipeline/projections.ts';
import { settled } from '../../../src/workflows/pipeline/settle.ts';
import { begun, unknown } from '../../../src/workflows/pipeline/state.ts';

const MOST = 1_000_000;
const usage = { total: 8, subscription: 8, permanent: 0 };
const attempt = {
  taskId: '8f0d6c0e-5f0b-4a55-9d1e-2f3a4b5c6d7e',
  outcome: 'completed' as const,
  code: null,
  usage,
  settledBy: 'webhook' as const,
  adopted: false,
};
const output = {
  url: `https://cdn.example.com/${'a'.repeat(150)}?signature=${'b'.repeat(150)}`,
  contentType: 'image/png',
  width: 1024,
  height: 1024,
  duration: null,
  stored: { uri: `s3://bucket/outputs/${'c'.repeat(60)}-0.png`, bytes: 237_837, sha256: 'd'.repeat(64) },
};

const completed = (dataBytes: number, more: { outputs?: number; dataUri?: string } = {}): StepItem => ({
  status: 'COMPLETED',
  workflowId: `pipeline/${'k'.repeat(190)}/step/12`,
  result: {
    taskId: attempt.taskId,
    model: 'image-l',
    status: 'COMPLETED',
    data: 'x'.repeat(dataBytes),
    outputs: Array.from({ length: more.outputs ?? 1 }, () => output),
    usage,
    charged: usage,
    attempts: [attempt],
    ...(more.dataUri === undefined ? {} : { dataUri: more.dataUri }),
  },
});
const failed = (message: string, errors = 0): StepItem => ({
  status: 'FAILED',
  workflowId: 'pipeline/p/step',
  failure: {
    type: 'INVALID_REQUEST',
    message,
    details: {
      attempts: [attempt],
      usage,
      charged: usage,
      errors: Array.from({ length: errors }, () => ({ path: 'p', message: 'm'.repeat(900) })),
    },
  },
});

function resultsOf(items: readonly StepItem[]): StepItem[] {
  let kept: ReadonlyMap<string, StepStage> = new Map();
  for (const [index, item] of items.entries())
    kept = fitted(new Map([...kept, [`step/${index}`, { at: 'done', item, startedAt: 1 }]]), MOST);
  return [...kept.values()].flatMap((stage) => (stage.at === 'done' ? stage.item : []));
}

const omittedOf = (items: readonly StepItem[]): unknown[] =>
  items.map((item) => (item.status === 'COMPLETED' ? item.omitted : undefined));

describe('the results of a pipeline', () => {
  it('are whole where there is room for them', () => {
    const items = [completed(300_000), completed(300_000), failed('no'), completed(300_000)];
    expect(resultsOf(items)).toEqual(items);
  });

  it('leave out data first, the largest first, and no more than needed', () => {
    const items = [400_000, 100_000, 500_000, 50_000].map((bytes) => completed(bytes));
    const kept = resultsOf(items);
    expect(jsonBytes(kept)).toBeLessThan(MOST);
    expect(omittedOf(kept)).toEqual([undefined, undefined, ['data'], undefined]);
    expect(kept[2]).toMatchObject({ result: { data: null, outputs: [output], attempts: [attempt] } });
    expect(kept[0]).toEqual(items[0]);
  });

  it('say where data is that was stored before', () => {
    const [kept] = resultsOf([completed(900_000, { dataUri: 's3://bucket/data.json' }), completed(200_000)]);
    expect(kept).toMatchObject({ result: { data: null, dataUri: 's3://bucket/data.json' } });
  });

  it('leave out attempts when no data is left, and outputs last', () => {
    const three = resultsOf(Array.from({ length: 1_000 }, () => completed(3_000, { outputs: 1 })));
    expect(jsonBytes(three)).toBeLessThan(MOST);
    expect(new Set(omittedOf(three).map((omitted) => JSON.stringify(omitted)))).toContain(
      '["data","attempts"]',
    );
    const all = resultsOf(Array.from({ length: 1_000 }, () => completed(3_000, { outputs: 4 })));
    expect(jsonBytes(all)).toBeLessThan(MOST);
    expect(omittedOf(all)).toContainEqual(['data', 'attempts', 'outputs']);
  });

  it('fit even where a thousand generations have failed at length', () => {
    const kept = resultsOf(Array.from({ length: 1_000 }, () => failed('e'.repeat(1_000), 50)));
    expect(jsonBytes(kept)).toBeLessThan(MOST);
    expect(kept.at(-1)).toMatchObject({ failure: { type: 'INVALID_REQUEST', details: { usage } } });
  });

  it('keep what every try has cost, and what it was charged', () => {
    const step = { model: 'image-l', input: { prompt: 'shaky' }, onFailure: 'hold' as const };
    let state = begun(unknown('pipeline/p', { steps: { a: step, b: step } }), false);
    for (const [startedAt, item] of [failed('once'), failed('twice')].entries())
      state = answered(settled(state, 'a', { item, startedAt }), 'a', { action: 'retry' });
    state = settled(state, 'a', { item: completed(10), startedAt: 3 });
    const costs = costsIn(state).map(([path, cost]) => [path, cost.usage.total, cost.charged.total]);
    expect(costs).toEqual([
      ['a', 16, 16],
      ['a', 8, 8],
    ]);
    state = settled(state, 'b', { item: { ...(completed(10) as object), reused: true } as StepItem });
    expect(new Map(costsIn(state)).get('b')).toMatchObject({ usage: { total: 0 }, charged: { total: 0 } });
  });
});
