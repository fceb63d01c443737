import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { errorBodySchema } from '../../../src/api/error-body.ts';
import { creditsSchema } from '../../../src/api/records/credits.ts';
import { ApiCaller } from '../api-caller.ts';

let emulator: Emulator;
let api: ApiCaller;
let workspaces = 0;

beforeAll(async () => {
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 0, run: 0 },
    assumptions: { refunds: ['PROVIDER_UNAVAILABLE', 'CANCELED'] },
  });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

/** A workspace of its own for a test, with a key that acts in it. */
async function newWorkspace(
  credits: object,
  key: object = {},
): Promise<{ id: string; keyId: string; caller: ApiCaller }> {
  workspaces += 1;
  const id = `workspace-${workspaces}`;
  await api.control('POST /workspaces', { id, credits });
  const { body } = await api.control('POST /keys', { name: 'test', workspace: id, ...key });
  return { id, keyId: body.id, caller: new ApiCaller(emulator, body.value) };
}

describe('credits', () => {
  test('are taken from the subscription first, then from the permanent pool, and every charge is in the ledger', async () => {
    const { id, caller } = await newWorkspace({ permanent: 20, subscription: 10 });
    const usages = [];
    for (let turn = 0; turn < 4; turn += 1) {
      const { status, body } = await caller.submit(
        'image-l',
        { prompt: 'x' },
        { 'x-darkroom-workflow': 'generation%2F1' },
      );
      usages.push(status === 201 ? body.usage : [status, body.code, body.error, body.details]);
    }
    expect(usages).toEqual([
      { total: 8, subscription: 8, permanent: 0 },
      { total: 8, subscription: 2, permanent: 6 },
      { total: 8, subscription: 0, permanent: 8 },
      [402, 'IMAGE_GENERATION_INSUFFICIENT_CREDITS', 'INSUFFICIENT_CREDITS', { required: 8, available: 6 }],
    ]);
    const { body } = await caller.credits();
    expect(creditsSchema.parse(body)).toMatchObject({ permanent: 6, subscription: 0, available: 6 });
    const { body: ledger } = await api.control(`GET /ledger?workspace=${id}`);
    expect(ledger.totals).toEqual({ charges: 3, credits: 24, refunds: 0, refundedCredits: 0 });
    expect(ledger.charges[0]).toMatchObject({
      model: 'image-l',
      workspace: id,
      credits: 8,
      workflow: 'generation%2F1',
      answered: true,
      refund: null,
    });
    expect(new Set(ledger.charges.map(({ inputHash }: { inputHash: string }) => inputHash)).size).toBe(1);
  });

  test('of an expired subscription are gone, and a top-up adds to a pool', async () => {
    const { id, caller } = await newWorkspace({ permanent: 3, subscription: 50 });
    await api.control(`PUT /workspaces/${id}/credits`, { subscriptionExpiresAt: '2020-01-01T00:00:00Z' });
    expect((await caller.credits()).body).toEqual({
      permanent: 3,
      subscription: 0,
      subscription_expires_at: '2020-01-01T00:00:00.000Z',
      available: 3,
    });
    expect((await caller.submit('image-l', { prompt: 'x' })).status).toBe(402);
    await api.control(`POST /workspaces/${id}/credits/top-up`, { permanent: 5 });
    expect((await caller.submit('image-l', { prompt: 'x' })).body.usage.permanent).toBe(8);
  });

  test('past 2^53 − 1 in both pools together are refused, and leave the balance as it was', async () => {
    const most = Number.MAX_SAFE_INTEGER;
    const { id, caller } = await newWorkspace({ permanent: most - 10, subscription: 4 });
    for (const [operation, body] of [
      [`POST /workspaces/${id}/credits/top-up`, { permanent: 7 }],
      [`PUT /workspaces/${id}/credits`, { subscription: 11 }],
      ['POST /workspaces', { id: 'too-rich', credits: { permanent: most, subscription: 1 } }],
    ] as const) {
      const refused = await api.control(operation, body);
      expect(refused.status).toBe(422);
      expect(refused.body.message).toMatch(
        /^A balance is at most 9007199254740991 whole credits in both pools/,
      );
    }
    expect((await caller.credits()).body.available).toBe(most - 6);
    await api.control(`POST /workspaces/${id}/credits/top-up`, { permanent: 6 });
    expect((await caller.credits()).body.available).toBe(most);
    const credits = { permanent: most, subscription: most };
    await expect(startEmulator({ port: 0, accounts: [{ workspace: 'default', credits }] })).rejects.toThrow(
      /A balance is at most/,
    );
  });

  test('for videos priced by the second follow duration and count', async () => {
    const input = { prompt: 'x', first_frame_url: 'https://example.com/a.png' };
    const price = async (more: object) =>
      (await api.submit('video-f', { ...input, ...more })).body.usage.total;
    expect([await price({}), await price({ duration: 3 }), await price({ duration: 2.5, n: 2 })]).toEqual([
      25, 15, 25,
    ]);
  });

  test('of a failed task come back where the refund policy says so, and its usage says so', async () => {
    const { id, caller } = await newWorkspace({ permanent: 100, subscription: 5 });
    const fate = async (code: string) => {
      await api.control('POST /faults', {
        on: 'task',
        match: { workspace: id },
        times: 1,
        fault: { kind: 'fail', code },
      });
      return await caller.settled(await caller.accepted('image-l', { prompt: 'x' }));
    };
    const refunded = await fate('PROVIDER_UNAVAILABLE');
    expect(refunded).toMatchObject({
      status: 'FAILED',
      code: 'IMAGE_GENERATION_PROVIDER_UNAVAILABLE',
      data: null,
      usage: { total: 0, subscription: 0, permanent: 0 },
    });
    expect((await caller.credits()).body).toMatchObject({ permanent: 100, subscription: 5 });
    const kept = await fate('FAILED');
    expect(kept.usage.total).toBe(8);
    expect((await caller.credits()).body.available).toBe(97);
    const { body } = await api.control(`GET /ledger?workspace=${id}`);
    expect(body.totals).toEqual({ charges: 2, credits: 16, refunds: 1, refundedCredits: 8 });
  });

  test('can be traced to workflows, and tasks that nobody owns stand apart', async () => {
    const { caller } = await newWorkspace({ permanent: 100 });
    const workflow = 'generation/ledger ö';
    const owned = await caller.accepted(
      'image-l',
      { prompt: 'x' },
      { 'x-darkroom-workflow': encodeURI(workflow) },
    );
    const orphan = await caller.accepted('image-l', { prompt: 'y' });
    const { body } = await api.control('GET /ledger/workflows');
    const entry = body.workflows.find((one: { workflow: string }) => one.workflow === workflow);
    expect(entry).toMatchObject({ charges: 1, credits: 8, tasks: [{ taskId: owned, answered: true }] });
    expect(body.unowned.tasks.map(({ taskId }: { taskId: string }) => taskId)).toContain(orphan);
  });
});

describe('a key', () => {
  test('is shown once, and its revocation takes effect with the next request', async () => {
    const { keyId, caller } = await newWorkspace({ permanent: 100 });
    const { body: keys } = await api.control('GET /keys');
    const listed = keys.find(({ id }: { id: string }) => id === keyId);
    expect(Object.keys(listed).toSorted()).toEqual(
      ['createdAt', 'hint', 'id', 'name', 'otherWorkspaces', 'revokedAt', 'scope', 'workspace'].toSorted(),
    );
    expect((await caller.credits()).status).toBe(200);
    await api.control(`POST /keys/${keyId}/revoke`);
    for (const { status, body } of [
      await caller.credits(),
      await caller.submit('image-l', {}),
      await caller.get('x'),
    ]) {
      expect([status, errorBodySchema.parse(body).code]).toEqual([401, 'UNAUTHORIZED']);
    }
  });

  test('acts in its own workspace, and in another one only if it may use it', async () => {
    const other = await newWorkspace({ permanent: 77 });
    const both = await newWorkspace({ permanent: 11 }, { otherWorkspaces: [other.id] });
    expect((await both.caller.credits()).body.available).toBe(11);
    expect((await both.caller.credits({ 'x-workspace': other.id })).body.available).toBe(77);
    const refused = await both.caller.credits({ 'x-workspace': 'default' });
    expect([refused.status, refused.body.code]).toEqual([403, 'WORKSPACE_FORBIDDEN']);
  });

  test('does only what its scope covers', async () => {
    const { caller } = await newWorkspace({ permanent: 100 }, { scope: ['read'] });
    expect((await caller.submit('image-l', { prompt: 'x' })).body.code).toBe('WORKSPACE_FORBIDDEN');
    expect((await caller.credits()).body.code).toBe('WORKSPACE_FORBIDDEN');
    expect((await caller.get('nope')).status).toBe(404);
  });
});

test('a GET answers exactly the statuses and codes of the specification', async () => {
  const { caller } = await newWorkspace({ permanent: 100 });
  const id = await api.accepted('image-l', { prompt: 'x' });
  const vanished = await api.accepted('image-l', { prompt: 'x' });
  await api.control(`POST /tasks/${vanished}/vanish`);
  const nobody = new ApiCaller(emulator, 'nope');
  const answers = [
    await api.get('%E0%A4%A'),
    await nobody.get(id),
    await caller.get(id),
    await api.get('no-such-task'),
    await api.get(vanished),
    await api.get('not*an*id'),
    await api.get('x'.repeat(200)),
  ];
  expect(answers.map(({ status, body }) => [status, errorBodySchema.parse(body).code])).toEqual([
    [400, 'INVALID_INPUT'],
    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [404, 'PREDICTION_NOT_FOUND'],
    [404, 'PREDICTION_NOT_FOUND'],
    [422, 'INVALID_INPUT'],
    [422, 'INVALID_INPUT'],
  ]);
});
