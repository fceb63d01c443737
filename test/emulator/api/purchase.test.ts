import { expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import type { Service } from '../../../emulator/src/service.ts';
import { ApiCaller } from '../api-caller.ts';
import { call } from './direct-call.ts';

/** Nothing moves by itself. */
const STILL = { port: 0, media: 'tiny', durations: { queue: 60_000, run: 5000 } } as const;

function disposable(emulator: Emulator): AsyncDisposable & { emulator: Emulator } {
  return { emulator, [Symbol.asyncDispose]: () => emulator.close() };
}

test('a purchase makes the task, takes the credits and writes the ledger, and tells of each', async () => {
  await using still = disposable(await startEmulator(STILL));
  const api = new ApiCaller(still.emulator);
  const service = still.emulator.service();
  const told: string[] = [];
  service.changes.subscribe(({ kind, id }) => told.push(`${kind} ${id}`));
  const { status, body } = await api.submit(
    'video-i',
    { prompt: 'a fox', seed: 7 },
    { 'x-darkroom-workflow': '100%' },
  );
  const usage = { total: body.usage.total, subscription: body.usage.total, permanent: 0 };
  expect([status, body.usage]).toEqual([201, usage]);
  const task = service.tasks.get(body.id);
  const createdAt = task?.createdAt ?? 0;
  expect(task).toEqual({
    id: body.id,
    model: 'video-i',
    workspace: 'default',
    input: { prompt: 'a fox', seed: 7, n: 1 },
    prompt: 'a fox',
    results: 1,
    template: null,
    workflow: '100%',
    seed: 7,
    createdAt,
    usage,
    status: 'IN_QUEUE',
    startedAt: null,
    completedAt: null,
    startDue: createdAt + 60_000,
    finishDue: createdAt + 65_000,
    fate: { kind: 'complete' },
    code: null,
    message: null,
    outputs: [],
    extra: {},
    vanished: false,
    gets: 0,
  });
  expect(told).toEqual(expect.arrayContaining(['workspace default', `task ${body.id}`, `ledger ${body.id}`]));
});

test.each([
  [{ kind: 'slow', ms: 3000 }, 68_000, { kind: 'complete' }],
  [{ kind: 'hang' }, 65_000, { kind: 'hang' }],
  [
    { kind: 'fail' },
    65_000,
    { kind: 'fail', code: 'IMAGE_GENERATION_FAILED', message: 'The generation failed.' },
  ],
  [
    { kind: 'fail', code: 'TEMPLATE_NOT_FOUND', message: 'gone' },
    65_000,
    { kind: 'fail', code: 'TEMPLATE_NOT_FOUND', message: 'gone' },
  ],
] as const)('a task that meets the fault %j ends after %d ms, as %j', async (fault, after, fate) => {
  await using still = disposable(await startEmulator({ ...STILL, faults: [{ on: 'task', fault }] }));
  const id = await new ApiCaller(still.emulator).accepted('image-l', { prompt: 'x' });
  const task = still.emulator.service().tasks.get(id);
  expect([(task?.finishDue ?? 0) - (task?.createdAt ?? 0), task?.fate]).toEqual([after, fate]);
});

test('credits that have gone since they were checked buy nothing', async () => {
  await using still = disposable(
    await startEmulator({
      ...STILL,
      accounts: [{ workspace: 'default', credits: { permanent: 3, subscription: 4 } }],
    }),
  );
  const service = still.emulator.service();
  // As where another submit pays between the check and the purchase.
  const unchecked: Service = {
    ...service,
    assumptions: {
      ...service.assumptions,
      checkOrder: service.assumptions.checkOrder.filter((name) => name !== 'credits'),
    },
  };
  const answer = await call(unchecked, {
    method: 'POST',
    path: 'generation/darkroom/image-l',
    body: '{"prompt":"x"}',
  });
  expect([answer.status, JSON.parse(answer.text)]).toEqual([
    402,
    {
      code: 'IMAGE_GENERATION_INSUFFICIENT_CREDITS',
      message: 'Not enough credits for this request.',
      error: 'INSUFFICIENT_CREDITS',
    },
  ]);
  expect([service.ledger.charges(), service.tasks.all()]).toEqual([[], []]);
  expect(service.accounts.workspace('default')?.pools).toMatchObject({ permanent: 3, subscription: 4 });
});
