import { once } from 'node:events';
import { request } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';
import { until } from '../until.ts';

let emulator: Emulator;
let api: ApiCaller;

beforeAll(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 60_000, run: 60_000 } });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());
beforeEach(() => api.control('POST /reset'));

describe('a task can be forced', () => {
  test('to start, to finish, to fail and to be canceled, and a terminal one stays as it is', async () => {
    const start = await api.accepted('image-l', { prompt: 'x' });
    await api.control(`POST /tasks/${start}/start`);
    await until(async () => (await api.get(start)).body.status === 'IN_PROGRESS');

    const finish = await api.accepted('image-l', { prompt: 'x' });
    await api.control(`POST /tasks/${finish}/finish`);
    expect((await api.settled(finish)).status).toBe('COMPLETED');

    const fail = await api.accepted('image-l', { prompt: 'x' });
    const { body } = await api.control(`POST /tasks/${fail}/fail`, { code: 'TIMEOUT', message: 'Too slow.' });
    expect(body).toMatchObject({ status: 'FAILED', code: 'IMAGE_GENERATION_TIMEOUT', message: 'Too slow.' });

    const cancel = await api.accepted('image-l', { prompt: 'x' });
    expect((await api.control(`POST /tasks/${cancel}/cancel`)).body.status).toBe('CANCELED');
    for (const act of ['start', 'finish', 'fail', 'hang']) {
      expect((await api.control(`POST /tasks/${cancel}/${act}`)).status).toBe(409);
    }
    expect((await api.get(cancel)).body.status).toBe('CANCELED');
  });

  test('to hang and to vanish', async () => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await api.control(`POST /tasks/${id}/start`);
    await until(async () => (await api.get(id)).body.status === 'IN_PROGRESS');
    expect((await api.control(`POST /tasks/${id}/hang`)).body.fate).toEqual({ kind: 'hang' });
    await api.control(`POST /tasks/${id}/vanish`);
    expect((await api.get(id)).status).toBe(404);
  });
});

test('tasks are listed newest first and can be looked up by workflow, model and state', async () => {
  const one = await api.accepted('image-l', { prompt: '1' }, { 'x-darkroom-workflow': 'w1' });
  const two = await api.accepted('image-o', { prompt: '2' });
  const ids = async (query: string) =>
    (await api.control(`GET /tasks${query}`)).body.map(({ id }: { id: string }) => id);
  expect(await ids('')).toEqual([two, one]);
  expect(await ids('?workflow=w1')).toEqual([one]);
  expect(await ids('?model=image-o&status=IN_QUEUE')).toEqual([two]);
  expect((await api.control('GET /tasks?status=nope')).status).toBe(422);
});

test('tasks are found by a part of their prompt, id or workflow, and page by page', async () => {
  const made = [];
  for (const prompt of ['a fox', 'a lighthouse', 'another FOX', 'a storm']) {
    made.push(
      await api.accepted('image-l', { prompt }, { 'x-darkroom-workflow': `generation/${prompt.length}` }),
    );
  }
  const [fox = '', lighthouse = '', another = '', storm = ''] = made;
  const ids = async (query: string) =>
    (await api.control(`GET /tasks?${query}`)).body.map(({ id }: { id: string }) => id);
  expect(await ids('search=Fox')).toEqual([another, fox]);
  expect(await ids('search=generation/12')).toEqual([lighthouse]);
  expect(await ids(`search=${storm.slice(0, 13)}`)).toEqual([storm]);
  expect(await ids(`limit=2&before=${storm}`)).toEqual([another, lighthouse]);
  expect(await ids(`search=fox&before=${another}`)).toEqual([fox]);
  expect((await api.control('GET /tasks?before=nowhere')).status).toBe(404);
});

test('the ledger’s summary tells what was bought twice, whose answer was lost, and what nobody owns', async () => {
  const owner = { 'x-darkroom-workflow': 'generation/1' };
  await api.accepted('image-l', { prompt: 'x' }, owner);
  await api.control('POST /faults', { on: 'submit', times: 1, fault: { kind: 'lost-after' } });
  await expect(api.submit('image-l', { prompt: 'x' }, owner)).rejects.toThrow('fetch failed');
  await api.accepted('image-l', { prompt: 'another' }, owner);
  const nobodys = await api.accepted('image-o', { prompt: 'x' });
  const { body } = await api.control('GET /ledger/summary?limit=1');
  expect(body).toMatchObject({
    totals: { charges: 4, credits: 29, refunds: 0 },
    models: [
      { model: 'image-l', charges: 3, credits: 24 },
      { model: 'image-o', charges: 1, credits: 5 },
    ],
    workflows: {
      count: 1,
      boughtAgain: 2,
      latest: [{ workflow: 'generation/1', charges: 3, boughtAgain: 2 }],
    },
    unanswered: { charges: 1, credits: 8, latest: [{ model: 'image-l', answered: false }] },
    unowned: { charges: 1, latest: [{ taskId: nobodys, workflow: null }] },
  });
  expect((await api.control('GET /ledger/summary?search=other')).body.workflows.count).toBe(0);
});

test('only a purchase after one that did not fail and was not canceled counts as bought again', async () => {
  const buy = (workflow: string, prompt = 'x') =>
    api.accepted('image-l', { prompt }, { 'x-darkroom-workflow': workflow });
  const boughtAgain = async (workflow: string) => {
    const { body } = await api.control(`GET /ledger/summary?search=${workflow}`);
    return body.workflows.latest[0].boughtAgain;
  };
  await api.control(`POST /tasks/${await buy('resubmitted')}/fail`);
  await api.control(`POST /tasks/${await buy('resubmitted')}/cancel`);
  const last = await buy('resubmitted', 'with another seed');
  expect(await boughtAgain('resubmitted')).toBe(0);
  await api.control(`POST /tasks/${last}/finish`);
  await api.settled(last);
  await buy('resubmitted', 'something else');
  expect(await boughtAgain('resubmitted')).toBe(1);

  const early = await buy('hasty');
  await buy('hasty');
  await api.control(`POST /tasks/${early}/fail`); // too late: it was not known to fail when the other was bought
  expect(await boughtAgain('hasty')).toBe(1);
  await buy('two', '1');
  await buy('too', '1');
  expect([await boughtAgain('two'), await boughtAgain('too')]).toEqual([0, 0]);
});

test('a reset brings back the start: no tasks, charges or faults, the same key, full credits', async () => {
  const id = await api.accepted('image-l', { prompt: 'x' });
  await api.control('POST /faults', { on: 'get', fault: { kind: 'reset' } });
  await api.control('POST /workspaces', { id: 'more' });
  expect((await api.control('POST /reset')).status).toBe(204);
  const { body } = await api.control('GET /state');
  expect(body).toMatchObject({ faults: [], tasks: { IN_QUEUE: 0 }, workspaces: [{ id: 'default' }] });
  expect((await api.get(id)).status).toBe(404);
  expect((await api.credits()).body.available).toBe(1_010_000);
});

test('the version of the description that the emulator follows is told', async () => {
  expect((await api.control('GET /state')).body.description).toEqual({ version: '1.0.0' });
});

test('changes are streamed as they happen', async () => {
  const response = await fetch(`${emulator.controlUrl}/events`);
  expect(response.headers.get('content-type')).toBe('text/event-stream');
  const id = await api.accepted('image-l', { prompt: 'x' });
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString('utf8');
    if (text.includes('\n\n', text.indexOf('data:')) && text.includes('data:')) break;
  }
  const { changes } = JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? '') as {
    changes: { kind: string; id: string; value: object }[];
  };
  expect(changes.find((change) => change.kind === 'task' && change.id === id)?.value).toMatchObject({
    status: 'IN_QUEUE',
  });
  expect(changes.map(({ kind }) => kind)).toContain('workspace');
});

describe('the control API and the dashboard', () => {
  /** The status of a request that says these things about itself, which `fetch` does not allow. */
  const statusOf = async (url: string, headers: Record<string, string>): Promise<number | undefined> => {
    const sent = request(url, { headers }).end();
    const [response] = (await once(sent, 'response')) as [{ statusCode?: number; resume(): void }];
    response.resume();
    return response.statusCode;
  };

  test('answer no page of another origin, and no host name but this machine’s', async () => {
    const host = `127.0.0.1:${emulator.port}`;
    for (const url of [`${emulator.controlUrl}/state`, emulator.dashboardUrl]) {
      const status = (headers: Record<string, string>) => statusOf(url, headers);
      expect(await status({ host, origin: `http://${host}` })).toBe(200);
      expect(await status({ host: `localhost:${emulator.port}` })).toBe(200);
      expect(await status({ host, origin: 'https://evil.example' })).toBe(403);
      expect(await status({ host, origin: 'null' })).toBe(403);
      expect(await status({ host: 'rebound.example' })).toBe(403);
    }
  });

  test('answer only to their own names and addresses also where they are open to other machines', async () => {
    const publicUrl = 'http://emulator.internal:4010';
    await using open = await startEmulator({ port: 0, media: 'tiny', openControl: true, publicUrl }).then(
      (started) => ({ ...started, [Symbol.asyncDispose]: () => started.close() }),
    );
    const { body: endpoint } = await new ApiCaller(open).control('POST /endpoints', {
      workspace: 'default',
      url: 'http://127.0.0.1:9/',
    });
    const secret = `${open.controlUrl}/endpoints/${endpoint.id}/secret`;
    for (const url of [secret, `${open.controlUrl}/events`, open.dashboardUrl]) {
      const refused = [
        'rebound.example',
        `rebound.example:${open.port}`,
        'localhost.rebound.example',
        '10.0.0.7',
      ];
      // The browser takes a page whose name leads here for one of this origin.
      const seen = await Promise.all(
        refused.map((host) => statusOf(url, { host, origin: `http://${host}` })),
      );
      expect(seen).toEqual(refused.map(() => 403));
      for (const host of ['localhost', 'LOCALHOST:1', '127.8.9.1:4010', '[::1]:4010', 'emulator.internal']) {
        expect(await statusOf(url, { host })).toBe(200);
      }
    }
  });
});

test('wrong requests to the control API are answered with what is wrong', async () => {
  expect((await api.control('GET /nowhere')).status).toBe(404);
  expect((await api.control('DELETE /ledger')).status).toBe(405);
  expect((await api.control('POST /keys', '{')).status).toBe(400);
  const { status, body } = await api.control('POST /endpoints', {
    workspace: 'default',
    url: 'ftp://x',
    secret: 'weak',
  });
  expect(status).toBe(422);
  expect(body.errors.map(({ path }: { path: string }) => path)).toEqual(['url', 'secret']);
  expect((await api.control('POST /keys', { name: 'x', workspace: 'nowhere' })).status).toBe(404);
});
