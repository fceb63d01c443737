import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { inputHash } from '../../../emulator/src/accounts/ledger.ts';
import { draw } from '../../../emulator/src/faults/draw.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';

const SEED = 7;
let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 0, run: 0 },
    seed: SEED,
    accounts: [{ workspace: 'default', otherWorkspaces: ['theirs'] }, { workspace: 'theirs' }],
  });
  api = new ApiCaller(emulator);
});
afterEach(() => emulator.service().faults.clear());
afterAll(() => emulator.close());

const rule = (wanted: object) => api.control('POST /faults', wanted);

describe('a refusal by a fault', () => {
  const SAID = 'Refused by a fault rule.';
  const TOLD = { status: 418, message: 'no tea' };

  test.each([
    ['submit', { code: 'TIMEOUT' }, 504, 'IMAGE_GENERATION_TIMEOUT', 'The generation timed out.'],
    ['submit', { code: 'IMAGE_GENERATION_FAILED' }, 500, 'IMAGE_GENERATION_FAILED', 'The generation failed.'],
    ['submit', { code: 'TIMEOUT', ...TOLD }, 418, 'IMAGE_GENERATION_TIMEOUT', 'no tea'],
    ['submit', { code: 'ODD' }, 500, 'ODD', SAID],
    ['submit', { code: 'ODD', ...TOLD }, 418, 'ODD', 'no tea'],
    ['get', { code: 'INVALID_INPUT' }, 400, 'INVALID_INPUT', SAID],
    ['get', { code: 'PREDICTION_NOT_FOUND' }, 404, 'PREDICTION_NOT_FOUND', SAID],
    ['get', { code: 'ODD' }, 500, 'ODD', SAID],
    ['get', { code: 'FORBIDDEN', ...TOLD }, 418, 'FORBIDDEN', 'no tea'],
    ['credits', { code: 'NOT_FOUND' }, 404, 'NOT_FOUND', SAID],
    ['credits', { code: 'WORKSPACE_FORBIDDEN' }, 403, 'WORKSPACE_FORBIDDEN', SAID],
    ['credits', { code: 'ODD' }, 500, 'ODD', SAID],
    ['credits', { code: 'NOT_FOUND', ...TOLD }, 418, 'NOT_FOUND', 'no tea'],
  ] as const)('of a %s with %j is %d %s, %s', async (on, fault, status, code, message) => {
    await rule({ on, fault: { kind: 'error', ...fault } });
    const calls = {
      submit: () => api.submit('image-l', { prompt: 'x' }),
      get: () => api.get('nobody'),
      credits: () => api.credits(),
    };
    const answer = await calls[on]();
    expect([answer.status, answer.body]).toEqual([status, { code, message }]);
  });

  test('comes before the checks that follow the body', async () => {
    await rule({ on: 'submit', fault: { kind: 'error', code: 'TIMEOUT' } });
    expect((await api.submit('image-l', { prompt: 5 })).status).toBe(504);
    expect((await api.submit('image-l', '{')).status).toBe(400);
  });
});

test.each([
  [{ model: 'image-l' }, 401, 404],
  [{ model: 'image-o' }, 200, 404],
  [{ promptIncludes: 'fox' }, 401, 404],
  [{ promptIncludes: 'dog' }, 200, 404],
  [{ workflowIncludes: 'night ö' }, 401, 404],
  [{ workflowIncludes: 'day' }, 200, 404],
  [{ workspace: 'theirs' }, 401, 404],
  [{ workspace: 'default' }, 200, 401],
])('with a fault for %j the read of a task is %d, of none %d', async (match, status, ofNone) => {
  const id = await api.accepted(
    'image-l',
    { prompt: 'a fox' },
    { 'x-workspace': 'theirs', 'x-darkroom-workflow': encodeURI('night ö') },
  );
  await rule({ on: 'get', match, fault: { kind: 'error', code: 'UNAUTHORIZED' } });
  expect((await api.get(id)).status).toBe(status);
  // Of a task that is not there only the key's own workspace is known.
  expect((await api.get('nobody')).status).toBe(ofNone);
  expect(emulator.service().tasks.get(id)?.gets).toBe(1);
});

describe('a fault with a share is drawn by whose call it is:', () => {
  const struck = (id: string, identity: string): boolean => draw(SEED, id, identity, 1) < 0.5;
  const names = 'abcdefgh'.split('');
  const calls = names.flatMap((name) => [
    { prompt: name, workflow: null },
    { prompt: name, workflow: `workflow ${name}` },
  ]);
  const submit = (prompt: string, workflow: string | null) =>
    api.submit(
      'image-l',
      { prompt },
      workflow === null ? {} : { 'x-darkroom-workflow': encodeURI(workflow) },
    );

  test('of a submit its workflow, else what was sent', async () => {
    await rule({ id: 'one', on: 'submit', share: 0.5, fault: { kind: 'error', code: 'TIMEOUT' } });
    for (const { prompt, workflow } of calls) {
      const identity = workflow ?? inputHash('image-l', { prompt });
      const { status } = await submit(prompt, workflow);
      expect([identity, status]).toEqual([identity, struck('one', identity) ? 504 : 201]);
    }
  });

  test('of a task its workflow, else its input; and of its reads its workflow, else its id', async () => {
    await rule({ id: 'two', on: 'task', share: 0.5, fault: { kind: 'hang' } });
    await rule({ id: 'three', on: 'get', share: 0.5, fault: { kind: 'error', code: 'UNAUTHORIZED' } });
    for (const { prompt, workflow } of calls) {
      const { body } = await submit(prompt, workflow);
      const identity = workflow ?? inputHash('image-l', { prompt, n: 1 });
      const fate = emulator.service().tasks.get(body.id)?.fate.kind;
      expect([identity, fate]).toEqual([identity, struck('two', identity) ? 'hang' : 'complete']);
      const reader: string = workflow ?? body.id;
      const { status } = await api.get(body.id);
      expect([reader, status]).toEqual([reader, struck('three', reader) ? 401 : 200]);
    }
    const nobodies = names.map((name) => `nobody-${name}`);
    for (const id of nobodies) {
      const { status } = await api.get(id);
      expect([id, status]).toEqual([id, struck('three', id) ? 401 : 404]);
    }
  });

  test('of a look at the credits its key', async () => {
    await rule({ id: 'four', on: 'credits', share: 0.5, fault: { kind: 'error', code: 'ODD' } });
    for (const name of names) {
      const { body } = await api.control('POST /keys', { name, workspace: 'default' });
      const { status } = await new ApiCaller(emulator, body.value).credits();
      expect([body.id, status]).toEqual([body.id, struck('four', body.id) ? 500 : 200]);
    }
  });
});

test.each([
  ['', null],
  ['plain', 'plain'],
  ['a%20b', 'a b'],
  ['100%', '100%'],
  ['a%2Fb', 'a%2Fb'],
])('the header %j names the workflow %j', async (header, workflow) => {
  const id = await api.accepted('image-l', { prompt: 'x' }, { 'x-darkroom-workflow': header });
  expect(emulator.service().ledger.charges({ taskId: id })).toMatchObject([{ workflow }]);
});
