import { readdirSync, readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { approveUpdate, pipelineProgressQuery } from '../../src/contract/messages.ts';
import type { PipelineRequest, StepItem } from '../../src/contract/pipeline.ts';
import { REQUEST_SCHEMAS } from '../../src/schemas/request-schemas.ts';
import { openStarterWorld, type StarterWorld } from '../starter/starter-world.ts';
import { chargesBelow } from '../workflows/pipeline/steps.ts';
import { eventually, FAST } from '../workflows/world.ts';

const FOLDER = fileURLToPath(new URL('../../examples/', import.meta.url));
const DOCUMENTS = readdirSync(FOLDER).filter((name) => name.endsWith('.json'));

function example(name: string): PipelineRequest {
  const document = JSON.parse(readFileSync(`${FOLDER}${name}`, 'utf8')) as PipelineRequest; // checked by the worker
  return { ...document, policy: FAST };
}

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

it.each(DOCUMENTS)('%s is what the JSON Schema says', (name) => {
  const isPipeline = new Ajv2020({ strict: false, validateFormats: false }).compile(
    REQUEST_SCHEMAS['pipeline.json'] ?? {},
  );
  expect(isPipeline(example(name)) ? [] : isPipeline.errors).toEqual([]);
});

describe('the examples run', () => {
  it('product shots: one product in three aspect ratios', async () => {
    const handle = await world.pipeline(example('product-shots.json'));
    const { steps } = await handle.result();
    const { items } = steps['shots'] as { items: StepItem[] }; // it is fanned out
    expect(items.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(4);
  });

  it('storyboard: nothing is filmed before the stills are approved', async () => {
    const handle = await world.pipeline(example('storyboard.json'));
    await eventually(async () => {
      const { steps } = await handle.query(pipelineProgressQuery);
      expect(steps['clips']?.status).toBe('approval');
    });
    expect(chargesBelow(world, handle.workflowId)).toHaveLength(1);
    await handle.executeUpdate(approveUpdate, { args: [{ step: 'clips' }] });
    const { status, steps } = await handle.result();
    expect(status).toBe('COMPLETED');
    expect(steps['clips']).toMatchObject({ items: [{ status: 'COMPLETED' }, { status: 'COMPLETED' }] });
  });

  it('talking head: speech and picture come together', async () => {
    const handle = await world.pipeline(example('talking-head.json'));
    expect(await handle.result()).toMatchObject({
      status: 'COMPLETED',
      steps: { talking: { result: { outputs: [{ contentType: 'video/mp4' }] } } },
    });
  });

  it('voice-over: one line in as many languages as there are rows', async () => {
    const results = `${FOLDER}../node_modules/.voice-over.jsonl`;
    const { code, json } = await world.runHere(
      'run',
      `${FOLDER}voice-over.json`,
      '--for-each',
      `${FOLDER}voice-over.csv`,
      '--key',
      'language',
      '--results',
      results,
      '--json',
    );
    expect(code).toBe(0);
    expect(json()).toMatchObject({ status: 'COMPLETED', rows: 4, completed: 4 });
    const lines = readFileSync(results, 'utf8').trimEnd().split('\n');
    await rm(results);
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual(['en', 'de', 'fr', 'es']);
  });
});
