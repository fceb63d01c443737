import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { GENERATION_CODES } from '../../../src/api/codes.ts';
import { errorBodySchema } from '../../../src/api/error-body.ts';
import { ApiCaller, type Json } from '../api-caller.ts';
import { until } from '../until.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 5, run: 5 } });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());
beforeEach(() => api.control('POST /reset'));

async function rule(fault: FaultRuleInput): Promise<void> {
  const { status, body } = await api.control('POST /faults', fault);
  if (status !== 200) throw new Error(JSON.stringify(body));
}

/** What a caller sees of a submit: its status and body, or how the connection failed. */
async function submitted(
  input: object = { prompt: 'a fox' },
): Promise<{ status?: number; body?: Json; lost?: string; headers?: Json }> {
  try {
    return await api.submit('image-l', input);
  } catch (error) {
    const cause = (error as Error).cause as (Error & { code?: string }) | undefined;
    return { lost: cause?.code ?? cause?.message ?? String(error) };
  }
}

async function charges(): Promise<Json[]> {
  return (await api.control('GET /ledger')).body.charges;
}

describe('a submit', () => {
  test.each<[FaultRuleInput['fault'] & object, { lost?: unknown; status?: number; body?: unknown }, number]>([
    [{ kind: 'reset' }, { lost: 'ECONNRESET' }, 0],
    [{ kind: 'lost-before' }, { lost: 'UND_ERR_SOCKET' }, 0],
    [{ kind: 'lost-after' }, { lost: 'UND_ERR_SOCKET' }, 1],
    [{ kind: 'truncated' }, { lost: expect.any(String) }, 1],
    [{ kind: 'garbled' }, { status: 201, body: expect.stringMatching(/^[^{]+$/) }, 1],
    [
      { kind: 'no-id' },
      {
        status: 201,
        body: { status: 'IN_QUEUE', input: { prompt: 'a fox', n: 1 }, usage: expect.anything() },
      },
      1,
    ],
    [
      { kind: 'status', status: 500 },
      { status: 500, body: expect.objectContaining({ status: 'IN_QUEUE' }) },
      1,
    ],
    [{ kind: 'html' }, { status: 502, body: expect.stringMatching(/^<!DOCTYPE html>/) }, 0],
    [
      { kind: 'html', status: 504, accepted: true },
      { status: 504, body: expect.stringMatching(/^<!DOCTYPE html>/) },
      1,
    ],
    [{ kind: 'redirect', status: 302 }, { status: 302, body: '' }, 0],
  ])('can meet %j', async (fault, seen, bought) => {
    await rule({ on: 'submit', fault } as FaultRuleInput);
    expect(await submitted()).toMatchObject(seen);
    expect((await charges()).map(({ answered }) => answered)).toEqual(
      Array.from({ length: bought }, () => false),
    );
    const { body } = await api.control('GET /counters');
    expect(body.faults).toEqual({ [`submit.${(fault as { kind: string }).kind}`]: 1 });
  });

  test.each(['before', 'after'] as const)(
    'can be answered late, time passing %s it is accepted',
    async (when) => {
      await rule({ on: 'submit', fault: { kind: 'slow', ms: 80, when } });
      const started = Date.now();
      expect((await submitted()).status).toBe(201);
      const answered = Date.now();
      expect(answered - started).toBeGreaterThanOrEqual(79);
      // Its caller has waited, so the answer counts as delivered.
      const [charge] = await until(async () => {
        const all = await charges();
        return all[0]?.answered === true && all;
      });
      const chargedAt = Date.parse(charge?.at);
      expect(when === 'before' ? chargedAt - started : answered - chargedAt).toBeGreaterThanOrEqual(79);
    },
  );

  test('whose caller gives up waiting is charged all the same, and its answer counts as lost', async () => {
    await rule({ on: 'submit', fault: { kind: 'slow', ms: 3_000, when: 'before' } });
    const url = `${emulator.baseUrl}/generation/darkroom/image-l`;
    const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': 'application/json' };
    const patience = new AbortController();
    const { signal } = patience;
    const given = fetch(url, { method: 'POST', headers, body: '{"prompt":"x"}', signal });
    // Not by the clock: a caller that gives up before its request was read buys nothing.
    await until(async () => (await api.control('GET /faults')).body[0].injected === 1);
    patience.abort();
    await expect(given).rejects.toThrow(/abort|terminated|fetch failed/);
    const [charge] = await until(async () => (await charges()).length > 0 && (await charges()));
    expect(charge?.answered).toBe(false);
  });

  test.each(GENERATION_CODES)('can be refused with %s, in its own form', async (code) => {
    await rule({ on: 'submit', nth: 1, fault: { kind: 'error', code, retryAfter: 7 } });
    await rule({
      on: 'submit',
      nth: 1,
      fault: { kind: 'error', code, status: 418, retryAfter: 7, retryAfterAsDate: true },
    });
    const usual = await api.submit('video-g', { prompt: 'x' });
    const { status, body } = usual;
    expect(body.code.replace('VIDEO_GENERATION_', '')).toBe(code);
    expect(status).toBe(emulator.service().assumptions.submitErrorStatus[code]);
    expect(errorBodySchema.safeParse(body).success).toBe(true);
    expect(usual.headers.get('retry-after')).toBe('7');
    const odd = await api.submit('video-g', { prompt: 'x' });
    expect(odd.status).toBe(418);
    expect(Date.parse(odd.headers.get('retry-after') ?? '')).toBeGreaterThan(Date.now());
    expect(await charges()).toHaveLength(0);
  });
});

test('reading a record and the balance can fail in the same ways', async () => {
  const id = await api.accepted('image-l', { prompt: 'x' });
  await rule({ on: 'get', nth: [1, 3], fault: { kind: 'error', code: 'FORBIDDEN' } });
  await rule({ on: 'get', times: 1, fault: { kind: 'html', status: 503 } });
  await rule({ on: 'credits', fault: { kind: 'error', code: 'NOT_FOUND' } });
  const seen = [await api.get(id), await api.get(id), await api.get(id), await api.get(id)];
  expect(seen.map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'FORBIDDEN'],
    [503, undefined],
    [403, 'FORBIDDEN'],
    [200, undefined],
  ]);
  const credits = await api.credits();
  expect([credits.status, credits.body.code]).toEqual([404, 'NOT_FOUND']);
  const { body } = await api.control('GET /counters?tasks=true');
  expect(body.faults).toEqual({ 'get.error': 2, 'get.html': 1, 'credits.error': 1 });
  expect(body.gets.byTask[id]).toBeGreaterThan(0);
});

test('tasks can fail with a code, hang, be canceled, vanish and take longer', async () => {
  await rule({
    on: 'task',
    match: { promptIncludes: 'fail' },
    fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
  });
  await rule({ on: 'task', match: { promptIncludes: 'hang' }, fault: { kind: 'hang' } });
  await rule({ on: 'task', match: { promptIncludes: 'cancel' }, fault: { kind: 'cancel' } });
  await rule({ on: 'task', match: { promptIncludes: 'vanish' }, fault: { kind: 'vanish' } });
  await rule({ on: 'task', match: { promptIncludes: 'later' }, fault: { kind: 'vanish', when: 'finished' } });
  await rule({ on: 'task', match: { model: 'image-o' }, fault: { kind: 'slow', ms: 150 } });
  const failed = await api.settled(await api.accepted('image-l', { prompt: 'fail' }));
  expect(failed).toMatchObject({
    status: 'FAILED',
    data: null,
    code: 'IMAGE_GENERATION_CONTENT_REJECTED',
    message: expect.stringMatching(/./),
  });
  const canceled = await api.settled(await api.accepted('image-l', { prompt: 'cancel' }));
  expect([canceled.status, canceled.data, 'code' in canceled]).toEqual(['CANCELED', null, false]);
  const [gone, later] = [
    await api.accepted('image-l', { prompt: 'vanish' }),
    await api.accepted('image-l', { prompt: 'later' }),
  ];
  expect((await api.get(gone)).status).toBe(404);
  await until(async () => (await api.get(later)).status === 404);
  const reached = [gone, later].map(async (id) => (await api.control(`GET /tasks/${id}`)).body.status);
  expect(await Promise.all(reached)).toEqual(['IN_QUEUE', 'IN_PROGRESS']);
  const hanging = await api.accepted('image-l', { prompt: 'hang' });
  const started = Date.now();
  await api.settled(await api.accepted('image-o', { prompt: 'x' }));
  expect(Date.now() - started).toBeGreaterThanOrEqual(149);
  expect((await api.get(hanging)).body.status).toBe('IN_PROGRESS');
});

test('files can be gone, torn, mislabelled and slow', async () => {
  const { data } = await api.settled(await api.accepted('image-l', { prompt: 'x' }));
  await rule({ on: 'file', nth: 1, fault: { kind: 'expired' } });
  await rule({ on: 'file', nth: 1, fault: { kind: 'expired', status: 404 } });
  await rule({ on: 'file', nth: 1, fault: { kind: 'wrong-type' } });
  await rule({ on: 'file', nth: 1, fault: { kind: 'truncated' } });
  await rule({ on: 'file', nth: 1, fault: { kind: 'reset' } });
  await rule({ on: 'file', nth: 1, fault: { kind: 'slow', ms: 60 } });
  expect((await fetch(data.image.url)).status).toBe(403);
  expect((await fetch(data.image.url)).status).toBe(404);
  expect((await fetch(data.image.url)).headers.get('content-type')).toBe('text/html');
  const torn = await fetch(data.image.url);
  await expect(torn.arrayBuffer()).rejects.toThrow(/abort|terminated|fetch failed/);
  await expect(fetch(data.image.url)).rejects.toThrow(/abort|terminated|fetch failed/);
  const started = Date.now();
  const whole = await fetch(data.image.url);
  expect(whole.status).toBe(200);
  expect(Date.now() - started).toBeGreaterThanOrEqual(59);
  expect(torn.headers.get('content-length')).toBe(whole.headers.get('content-length'));
});

test('whatever gets lost, the ledger and the balance agree to the credit', async () => {
  const kinds = ['reset', 'lost-before', 'lost-after', 'garbled', 'truncated', 'html', 'no-id'];
  for (const kind of kinds) await rule({ on: 'submit', share: 0.15, fault: { kind } } as FaultRuleInput);
  await rule({ on: 'task', share: 0.3, fault: { kind: 'fail', code: 'FAILED' } });
  const before = (await api.credits()).body.available;
  const seen = await Promise.all(
    Array.from({ length: 150 }, (_, turn) => submitted({ prompt: `${turn}`, n: 1 + (turn % 4) })),
  );
  const all = await charges();
  const intact = seen.filter(({ body }) => body?.id !== undefined).map(({ body }) => body.id);
  await until(
    async () => (await api.control('GET /ledger?answered=true')).body.totals.charges === intact.length,
  );
  expect(all.length).toBeGreaterThan(intact.length);
  expect(all.length).toBeLessThan(150);
  const spent = all.reduce((sum, { credits }) => sum + credits, 0);
  expect(before - (await api.credits()).body.available).toBe(spent);
});

describe('a rule', () => {
  test('strikes a share of the calls that depends on the seed and the caller alone, not on the order', async () => {
    const struck = async (workflows: number[], seed: number): Promise<number[]> => {
      const other = await startEmulator({
        port: 0,
        media: 'tiny',
        seed,
        faults: [{ on: 'submit', share: 0.3, fault: { kind: 'error', code: 'RATE_LIMITED' } }],
      });
      const caller = new ApiCaller(other);
      const statuses = await Promise.all(
        workflows.map(async (workflow) => {
          const { status } = await caller.submit(
            'image-l',
            { prompt: 'x' },
            { 'x-darkroom-workflow': `w${workflow}` },
          );
          return status === 429 ? workflow : -1;
        }),
      );
      await other.close();
      return statuses.filter((workflow) => workflow >= 0).toSorted((a, b) => a - b);
    };
    const workflows = Array.from({ length: 200 }, (_, index) => index);
    const once = await struck(workflows, 7);
    expect(await struck(workflows.toReversed(), 7)).toEqual(once);
    expect(await struck(workflows, 8)).not.toEqual(once);
    expect(once.length).toBeGreaterThan(35);
    expect(once.length).toBeLessThan(85);
  });

  test('strikes only what it matches, so often as it may, and is gone when it is removed', async () => {
    await rule({
      id: 'mine',
      on: 'submit',
      match: { model: 'image-o', promptIncludes: 'fox', workflowIncludes: 'w' },
      times: 1,
      fault: { kind: 'error', code: 'FAILED' },
    });
    const headers = { 'x-darkroom-workflow': 'w1' };
    const statuses = [
      await api.submit('image-l', { prompt: 'fox' }, headers),
      await api.submit('image-o', { prompt: 'hen' }, headers),
      await api.submit('image-o', { prompt: 'fox' }),
      await api.submit('image-o', { prompt: 'fox' }, headers),
      await api.submit('image-o', { prompt: 'fox' }, headers),
    ].map(({ status }) => status);
    expect(statuses).toEqual([201, 201, 201, 500, 201]);
    const { body } = await api.control('GET /faults');
    expect(body).toMatchObject([{ id: 'mine', seen: 2, injected: 1 }]);
    expect((await api.control('DELETE /faults/mine')).status).toBe(204);
    expect((await api.control('DELETE /faults/mine')).status).toBe(404);
  });

  test('that is none is refused with what is wrong about it', async () => {
    const wrong = await api.control('POST /faults', { on: 'submit', fault: { kind: 'explode' } });
    expect(wrong.status).toBe(422);
    expect(wrong.body.message).toContain('lost-after');
    const stray = await api.control('POST /faults', { on: 'task', fault: { kind: 'hang' }, often: true });
    expect(stray.body.message).toContain('often');
  });
});
