import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draw } from '../../../emulator/src/faults/draw.ts';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';
import { until } from '../until.ts';

const SEED = 5;
const FORBIDDEN = 'This API key has no access to the workspace.';
const UNKNOWN_ROUTE = { code: 'NOT_FOUND', message: 'There is no such route.' };

let emulator: Emulator;
/** Acts in `studio`, and may act in `archive` if it says so. */
let api: ApiCaller;
/** Acts in `archive` alone. */
let archivist: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    seed: SEED,
    durations: { queue: 0, run: 0 },
    accounts: [
      { workspace: 'studio', apiKey: 'studio-key', otherWorkspaces: ['archive'] },
      { workspace: 'archive', apiKey: 'archive-key' },
      { workspace: 'studio', apiKey: 'reader-key', scope: ['read'] },
      { workspace: 'studio', apiKey: 'accountant-key', scope: ['credits'] },
    ],
  });
  api = new ApiCaller(emulator);
  archivist = new ApiCaller(emulator, 'archive-key');
});
afterAll(() => emulator.close());
beforeEach(() => api.control('POST /reset'));

/** Puts a rule in force for records that are read. */
async function strike(rule: Partial<FaultRuleInput>): Promise<void> {
  const { status, body } = await api.control('POST /faults', {
    on: 'get',
    fault: { kind: 'error', code: 'STRUCK' },
    ...rule,
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
}

describe('a record is refused', () => {
  test.each([
    ['%E0%A4%A', 400, { code: 'INVALID_INPUT', message: 'The generation id cannot be decoded.' }],
    ['nobody-knows', 404, { code: 'PREDICTION_NOT_FOUND', message: 'The generation was not found.' }],
    ['no%20id', 422, { code: 'INVALID_INPUT', message: 'The generation id is not valid.' }],
  ])('by the id %s, with %i', async (id, status, body) => {
    expect(await api.get(id)).toMatchObject({ status, body });
  });

  test('to keys of other workspaces, but not to one that may also act in its own', async () => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    expect(await archivist.get(id)).toMatchObject({
      status: 403,
      body: { code: 'FORBIDDEN', message: 'This API key has no access to the generation.' },
    });
    const archived = await archivist.accepted('image-l', { prompt: 'x' });
    expect((await api.get(archived)).status).toBe(200);
  });

  test('where the key may not enter the workspace that the request names', async () => {
    const id = await archivist.accepted('image-l', { prompt: 'x' });
    const body = { code: 'FORBIDDEN', message: FORBIDDEN };
    expect(await archivist.get(id, { 'x-workspace': 'studio' })).toMatchObject({ status: 403, body });
  });
});

test.each([
  ['reader-key', 404, 403],
  ['accountant-key', 403, 200],
])('the scope of %s decides what it may read', async (key, record, credits) => {
  const caller = new ApiCaller(emulator, key);
  expect([(await caller.get('some-id')).status, (await caller.credits()).status]).toEqual([record, credits]);
});

describe('a fault of a record', () => {
  test.each<[string, { code: string; status?: number; message?: string }, number, object]>([
    [
      'a code of GET',
      { code: 'UNAUTHORIZED' },
      401,
      { code: 'UNAUTHORIZED', message: 'Refused by a fault rule.' },
    ],
    ['a code of two statuses', { code: 'INVALID_INPUT' }, 400, { code: 'INVALID_INPUT' }],
    ['a code of its own', { code: 'TEAPOT' }, 500, { code: 'TEAPOT', message: 'Refused by a fault rule.' }],
    [
      'all that it says',
      { code: 'FORBIDDEN', status: 418, message: 'Not now.' },
      418,
      { code: 'FORBIDDEN', message: 'Not now.' },
    ],
  ])('answers with %s', async (_what, fault, status, body) => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await strike({ fault: { kind: 'error', ...fault } });
    expect(await api.get(id)).toMatchObject({ status, body });
  });

  test.each<[string, NonNullable<FaultRuleInput['match']>]>([
    ['its model', { model: 'image-o' }],
    ['its prompt', { promptIncludes: 'fox' }],
    ['its workflow', { workflowIncludes: 'run-2' }],
    ['its workspace, whichever the key acts in', { workspace: 'archive' }],
  ])('can go by %s', async (_what, match) => {
    const one = await api.accepted('image-l', { prompt: 'a hen' }, { 'x-darkroom-workflow': 'run-1' });
    const other = await archivist.accepted(
      'image-o',
      { prompt: 'a fox' },
      { 'x-darkroom-workflow': 'run-2' },
    );
    await strike({ match });
    expect([(await api.get(one)).status, (await api.get(other)).status]).toEqual([200, 500]);
  });

  test('goes by the key’s workspace and by the id where no task has that id', async () => {
    await strike({ match: { workspace: 'studio', taskId: 'nobody-knows' }, share: 1 });
    expect((await api.get('nobody-knows')).body.code).toBe('STRUCK');
    expect((await archivist.get('nobody-knows')).body.code).toBe('PREDICTION_NOT_FOUND');
    expect((await api.get('somebody')).body.code).toBe('PREDICTION_NOT_FOUND');
  });

  test('is drawn by the task’s workflow, else by its id', async () => {
    const owned = await api.accepted('image-l', { prompt: 'x' }, { 'x-darkroom-workflow': 'run-1' });
    const unowned = await api.accepted('image-l', { prompt: 'x' });
    await strike({ id: 'some', share: 0.5 });
    for (const [id, identity] of [
      [owned, 'run-1'],
      [unowned, unowned],
    ] as const) {
      const turns = Array.from({ length: 16 }, (_, index) => index + 1);
      const drawn = turns.map((turn) => (draw(SEED, 'some', identity, turn) < 0.5 ? 500 : 200));
      const seen = [];
      for (const _turn of turns) seen.push((await api.get(id)).status);
      expect(seen).toEqual(drawn);
    }
  });

  test('that comes late is lost where a reset comes between', async () => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await strike({ fault: { kind: 'slow', ms: 50 } });
    const late = api.get(id).then(
      ({ status }) => status,
      () => 'lost',
    );
    await until(() => emulator.service().faults.counts()['get.slow'] === 1);
    await api.control('POST /reset');
    expect(await late).toBe('lost');
  });

  test('does not keep a read from being counted', async () => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await api.get(id);
    await strike({});
    await api.get(id);
    expect((await api.control(`GET /tasks/${id}`)).body.gets).toBe(2);
  });
});

describe('the API has the three operations and no other:', () => {
  test.each([
    ['POST', 'generation/darkroom/image-l', 'submit', 422],
    ['GET', 'generation/some-id', 'get', 404],
    ['GET', 'credits', 'credits', 200],
  ])('%s %s', async (method, path, kind, status) => {
    expect((await called(method, path)).status).toBe(status);
    const { requests, answers } = (await api.control('GET /counters')).body;
    expect([requests[kind], answers[`${kind} ${status}`]]).toEqual([1, 1]);
  });

  test.each([
    ['DELETE', 'generation/some-id'],
    ['GET', 'generation/darkroom/image-l'],
    ['GET', 'generation/'],
    ['GET', 'old/generation/some-id'],
    ['POST', 'credits'],
    ['GET', 'credits/all'],
    ['GET', ''],
  ])('not %s %s', async (method, path) => {
    expect(await called(method, path)).toMatchObject({ status: 404, body: UNKNOWN_ROUTE });
    expect((await api.control('GET /counters')).body.requests.other).toBe(1);
  });

  async function called(method: string, path: string) {
    const headers = { authorization: `Bearer ${emulator.apiKey}` };
    return await api.call(method, `${emulator.baseUrl}/${path}`, method === 'POST' ? {} : undefined, headers);
  }
});
