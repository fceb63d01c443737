import { randomUUID } from 'node:crypto';
import { access, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deleteRuns } from '../../delete-run.ts';
import { eventually, FAST } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

const PIPELINE = {
  steps: {
    still: { model: 'image-l', input: { prompt: 'a postcard of {{city}}', n: { $param: 'n' } } },
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
  },
  policy: FAST,
};

interface Line {
  id: string;
  status: string;
  outputs: Record<string, unknown[]>;
}

/** Files of one batch, and its command. */
async function batchOf(rows: string | Buffer, extension: 'csv' | 'jsonl', pipeline: unknown = PIPELINE) {
  const id = randomUUID();
  const document = await world.file(`${id}.json`, pipeline);
  const file = document.replace(/json$/, extension);
  await writeFile(file, rows);
  const results = document.replace(/json$/, 'results.jsonl');
  return {
    id,
    rows: file,
    results,
    command: ['run', document, '--for-each', file, '--id', id, '--results', results, '--json'],
    async lines(): Promise<Line[]> {
      const text = await readFile(results, 'utf8');
      return text
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as Line);
    },
    bought: () =>
      world.emulator
        .service()
        .ledger.charges({})
        .filter(({ workflow }) => workflow?.startsWith(`batch/${id}/`) === true),
  };
}

describe('run --for-each', () => {
  it('runs the pipeline for each row of a CSV file; the same command again buys nothing', async () => {
    const batch = await batchOf('key,city,n\noslo,Oslo,1\nbergen,"Bergen, by night",2\n', 'csv');
    const first = await world.runHere(...batch.command, '--key', 'key');
    expect(first).toMatchObject({ code: 0 });
    expect(first.json()).toMatchObject({
      status: 'COMPLETED',
      rows: 2,
      completed: 2,
      usage: { total: 32 },
      charged: { total: 32 },
    });
    expect(await batch.lines()).toMatchObject([
      { id: 'oslo', row: { city: 'Oslo', n: 1 }, status: 'COMPLETED', outputs: { still: [{}], large: [{}] } },
      { id: 'bergen', status: 'COMPLETED', outputs: { still: [{}, {}] }, usage: { total: 20 } },
    ]);
    const again = await world.runHere(...batch.command, '--key', 'key');
    expect(again.json()).toEqual(first.json());
    expect(batch.bought()).toHaveLength(4);
  });

  it('gives a row that has changed under its id no files of the one before, and buys nothing for it', async () => {
    const batch = await batchOf('key,city,n\noslo,Oslo,1\nbergen,Bergen,1\n', 'csv');
    await world.runHere(...batch.command, '--key', 'key');
    const [, before] = await batch.lines();
    await writeFile(batch.rows, 'key,city,n\noslo,Athens,1\nbergen,Bergen,1\n');
    const kept = await world.runHere(...batch.command, '--key', 'key');
    expect(kept.code).toBe(2);
    expect(kept.stdout).toContain(`holds the result of batch/${batch.id}/oslo for another input`);
    await rm(batch.results);
    const edited = await world.runHere(...batch.command, '--key', 'key');
    expect(edited.json()).toMatchObject({ error: { details: { completed: 1, failed: 1 } } });
    expect(await batch.lines()).toEqual([
      expect.objectContaining({
        row: { key: 'oslo', city: 'Athens', n: 1 },
        status: 'FAILED',
        outputs: {},
        usage: { total: 0, subscription: 0, permanent: 0 },
        failure: { type: 'KEY_IN_USE', message: expect.stringContaining('another input') as unknown },
      }),
      before,
    ]);
    expect(batch.bought()).toHaveLength(4);
  });

  it('overwrites no results of other rows, and writes to no folder that is not there: nothing is started', async () => {
    const first = await batchOf('{"city":"Oslo","n":1}\n', 'jsonl');
    expect((await world.runHere(...first.command)).code).toBe(0);
    const lines = await first.lines();
    await writeFile(first.rows, '{"city":"Bergen","n":1}\n');
    const second = await world.runHere(...first.command);
    expect(second.code).toBe(2);
    expect(second.stdout).toContain(
      'which is none of these rows: move it, or name another file by --results',
    );
    expect(await first.lines()).toEqual(lines);
    const absent = join(first.results, 'no', 'r.jsonl');
    const missing = await world.runHere(...first.command.slice(0, -2), absent, '--json');
    expect(missing.code).toBe(2);
    expect(missing.stdout).toContain('is not there, or not writable');
    expect(first.bought()).toHaveLength(2);
  });

  it('goes on after its caller was interrupted, and attaches to what runs', async () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ city: `city ${index}`, n: 1 }));
    const batch = await batchOf(rows.map((row) => `${JSON.stringify(row)}\n`).join(''), 'jsonl');
    const left = await world.runWith({}, [...batch.command, '--concurrency', '2'], {
      interruptWhen: (output) => output.includes('% of 12 rows'),
    });
    expect(left.code).toBe(130);
    const back = await world.runHere(...batch.command, '--concurrency', '2');
    expect(back.json()).toMatchObject({ status: 'COMPLETED', completed: 12 });
    expect(back.stderr).toContain('exists already: gone back to it');
    expect(batch.bought()).toHaveLength(24);
    expect(await batch.lines()).toHaveLength(12);
  });

  it('keeps what an earlier file tells of a row that the server has deleted', async () => {
    const batch = await batchOf('{"city":"Oslo","n":1}\n{"city":"Bergen","n":1}\n', 'jsonl');
    await world.runHere(...batch.command);
    const lines = await batch.lines();
    const [row] = lines;
    await deleteRuns(world.client, `batch/${batch.id}/${row?.id}`);
    expect(await world.runHere(...batch.command)).toMatchObject({ code: 0 });
    expect(await batch.lines()).toEqual(lines);
    // The same of what a command had written that was interrupted.
    await rename(batch.results, `${batch.results}.part`);
    expect(await world.runHere(...batch.command)).toMatchObject({ code: 0 });
    expect(await batch.lines()).toEqual(lines);
    // And of two, the second of which came not as far.
    await rename(batch.results, `${batch.results}.part.old`);
    await writeFile(`${batch.results}.part`, '{"id":');
    expect(await world.runHere(...batch.command)).toMatchObject({ code: 0 });
    expect(await batch.lines()).toEqual(lines);
    await expect(access(`${batch.results}.part.old`)).rejects.toThrow('ENOENT');
  });

  it('says that a batch goes on with the options that it was started with', async () => {
    const letGo = world.hold('a postcard of Alta');
    const batch = await batchOf('{"city":"Alta","n":1}\n', 'jsonl', {
      ...PIPELINE,
      policy: { ...FAST, deadline: '5m' },
    });
    await world.runHere(...batch.command, '--detach', '--budget', '50', '--concurrency', '2');
    const attached = await world.runHere(
      ...batch.command,
      '--detach',
      '--budget',
      '60',
      '--concurrency',
      '2',
    );
    expect(attached.stderr).toContain('it runs with another --budget than this, or without: that stays');
    expect(attached.stderr).not.toContain('--concurrency');
    letGo();
    expect(await world.runHere(...batch.command)).toMatchObject({ code: 0 });
  });

  it('stops waiting after --timeout, and the rows go on', async () => {
    const letGo = world.hold('a postcard of Vadso');
    const batch = await batchOf('{"city":"Vadso","n":1}\n', 'jsonl', {
      ...PIPELINE,
      policy: { ...FAST, deadline: '5m' },
    });
    const late = await world.runHere(...batch.command, '--timeout', '1s');
    expect(late.code).toBe(1);
    expect(late.json()).toMatchObject({
      error: { type: 'STILL_RUNNING', details: { workflowId: `batch/${batch.id}` } },
    });
    letGo();
    expect(await world.runHere(...batch.command)).toMatchObject({ code: 0 });
    expect(batch.bought()).toHaveLength(2);
  });

  it('runs failed rows once more where that is asked for, and buys nothing else again', async () => {
    const batch = await batchOf('{"city":"Oslo","n":1}\n{"city":"nowhere","n":1}\n', 'jsonl');
    world.fault({
      on: 'task',
      match: { promptIncludes: 'nowhere' },
      times: 1,
      fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
    });
    const first = await world.runHere(...batch.command);
    expect(first.code).toBe(1);
    expect(first.json()).toMatchObject({
      error: { type: 'ROWS_LEFT', details: { status: 'PARTIAL', completed: 1, failed: 1 } },
    });
    expect((await batch.lines())[1]).toMatchObject({
      status: 'FAILED',
      failure: { type: 'PIPELINE_FAILED' },
    });
    expect((await world.runHere(...batch.command)).code).toBe(1);
    const bought = batch.bought().length;
    const again = await world.runHere(...batch.command, '--retry-failed');
    expect(again.json()).toMatchObject({
      status: 'COMPLETED',
      completed: 2,
      failed: 0,
      charged: { total: 12 },
    });
    expect(batch.bought()).toHaveLength(bought + 2);
  });

  it('starts no row that the budget does not admit, and goes on with a larger one', async () => {
    const rows = ['a', 'b', 'c'].map((city) => `${JSON.stringify({ city, n: 1 })}\n`).join('');
    const batch = await batchOf(rows, 'jsonl');
    const first = await world.runHere(...batch.command, '--budget', '24');
    expect(first.json()).toMatchObject({
      error: { details: { completed: 2, refused: 1, usage: { total: 24 } } },
    });
    expect(await batch.lines()).toMatchObject([{}, {}, { status: 'NOT_STARTED' }]);
    const more = await world.runHere(...batch.command, '--budget', '36');
    expect(more.json()).toMatchObject({
      status: 'COMPLETED',
      usage: { total: 36 },
      charged: { total: 12 },
    });
    expect(batch.bought()).toHaveLength(6);
  });

  it('says that a row waits for the budget, while it is followed and in show', async () => {
    const letGo = world.hold('a postcard of Narvik');
    const rows = ['Narvik', 'Molde'].map((city) => `${JSON.stringify({ city, n: 1 })}\n`).join('');
    const batch = await batchOf(rows, 'jsonl', { ...PIPELINE, policy: { ...FAST, deadline: '5m' } });
    const says = `1 row waits for its budget: what is left of the budget of batch/${batch.id}, 20 credits,`;
    let told = '';
    const command = [...batch.command.filter((word) => word !== '--json'), '--budget', '20'];
    const followed = world.runWith({}, command, {
      interruptWhen: (output) => {
        told = output;
        return false;
      },
    });
    await eventually(() => expect(told).toContain(says));
    const shown = await world.runHere('show', `batch/${batch.id}`);
    expect(shown.stdout).toContain(says);
    letGo();
    expect((await followed).code).toBe(1); // nothing came back
  });

  it('tells what a batch would cost, and of rows that are wrong, before anything is started', async () => {
    const good = await batchOf('{"city":"Oslo","n":1}\n', 'jsonl');
    const plan = await world.runHere(...good.command, '--dry-run');
    expect(plan.json()).toMatchObject({ rows: 1, first: { bought: 2 } });
    const wrong = await batchOf('{"city":"Oslo","n":1}\n{"city":"Oslo","n":9}\n', 'jsonl');
    const refused = await world.runHere(...wrong.command);
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({
      error: { type: 'INVALID_REQUEST', details: { errors: [{ path: 'line 2: steps.still.input.n' }] } },
    });
    const unknown = await batchOf('{"town":"Oslo","n":1}\n', 'jsonl');
    const { stdout } = await world.runHere(...unknown.command);
    expect(stdout).toContain('{{city}} names no column of the rows; columns: ');
    const doubled = await batchOf('city,n,city\nOslo,1,Bergen\n', 'csv');
    const { code, stdout: said } = await world.runHere(...doubled.command);
    expect({ code, said }).toMatchObject({ code: 2, said: expect.stringContaining('two columns') });
    const blank = await batchOf('city,n\nOslo,1\n,2\n,\n', 'csv', {
      steps: { still: { model: 'image-l', input: { prompt: 'a postcard of {{city}}' } } },
    });
    expect((await world.runHere(...blank.command)).stdout).toContain('line 3 has no city');
    const twice = await batchOf('{"city":"Oslo","n":1}\n{"n":1,"city":"Oslo"}\n', 'jsonl');
    expect((await world.runHere(...twice.command)).stdout).toContain('line 1 and line 2 are equal');
    for (const batch of [good, wrong, unknown, doubled, blank, twice]) expect(batch.bought()).toEqual([]);
  });

  it.each([
    ['{"city":"Oslo","n":1}\n{"n":1}\n', 'a postcard of {{city}}', 'line 2 has no city, and {{city}} stands'],
    ['{"city":null,"n":1}\n', 'a postcard of {{city}}', 'line 1 has no city'],
    ['{"city":"Oslo","n":1}\n', 'a postcard of {{The City}}', '{{The City}} names no column of the rows'],
    [Buffer.from('{"city":"Oslo","n":1}\n{"city":"M\xfcnchen","n":1}\n', 'latin1'), '{{city}}', 'line 2 of '],
  ])('buys no text in which a value or its letters are missing: %#', async (rows, prompt, why) => {
    const { still, large } = PIPELINE.steps;
    const steps = { still: { ...still, input: { ...still.input, prompt } }, large };
    const batch = await batchOf(rows, 'jsonl', { ...PIPELINE, steps });
    const { code, stdout } = await world.runHere(...batch.command);
    expect(code).toBe(2);
    expect(stdout).toContain(why);
    expect(batch.bought()).toEqual([]);
  });

  it('reads a CSV file that is no UTF-8 neither', async () => {
    const latin = Buffer.from('city,n\nM\xfcnchen,1\n', 'latin1');
    const batch = await batchOf(latin, 'csv');
    const { code, stdout } = await world.runHere(...batch.command);
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining('is not UTF-8') });
    expect(batch.bought()).toEqual([]);
  });

  it('shows the rows that wait for a person, and what to send; watch and show follow a batch, too', async () => {
    const asking = {
      ...PIPELINE,
      steps: { ...PIPELINE.steps, large: { ...PIPELINE.steps.large, approve: true } },
    };
    const batch = await batchOf('key,city,n\noslo,Oslo,1\n', 'csv', asking);
    const workflowId = `batch/${batch.id}`;
    const waits = (output: string): boolean => output.includes('--step large');
    const left = await world.runWith({}, [...batch.command, '--key', 'key'], { interruptWhen: waits });
    expect(left.stderr).toContain(`watch ${workflowId}`);
    const shown = await world.runHere('show', workflowId);
    expect(shown.stdout).toContain('0 of 1 rows completed, 0 failed, 1 running');
    expect(shown.stdout).toContain(`${workflowId}/oslo: waiting for approval: step large`);
    expect(shown.stdout).toMatch(new RegExp(`decide ${workflowId}/oslo approve --step large`));
    const late = await world.runHere('watch', workflowId, '--timeout', '1s', '--json');
    expect(late.json()).toMatchObject({ error: { type: 'STILL_RUNNING' } });
    await world.runHere('decide', `${workflowId}/oslo`, 'approve', '--step', 'large');
    const watched = await world.runHere('watch', workflowId, '--json');
    expect(watched.json()).toMatchObject({ status: 'COMPLETED', completed: 1 });
    expect((await world.runHere('show', workflowId)).stdout).toContain('1 of 1 rows completed; 12 credits');
  });

  it('is listed, and is cancelled with the rows that run; the same command takes over what they have bought', async () => {
    const batch = await batchOf('key,city,n\noslo,Oslo,1\nhalt,Bergen,1\n', 'csv');
    const goOn = world.hold('Bergen');
    const workflowId = `batch/${batch.id}`;
    const left = await world.runWith({}, [...batch.command, '--key', 'key'], {
      interruptWhen: (output) => output.includes('50 % of 2 rows'),
    });
    expect(left.code).toBe(130);
    await eventually(async () => {
      const { json } = await world.runHere('list', '--state', 'running', '--json');
      expect(json()).toContainEqual(
        expect.objectContaining({ workflowId, type: 'batch', status: 'RUNNING' }),
      );
    });
    expect(batch.bought()).toHaveLength(3);
    const cancelled = await world.runHere('cancel', workflowId);
    expect(cancelled).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('--retry-failed') as unknown,
    });
    const rowOf = (id: string) => world.client.workflow.getHandle(`${workflowId}/${id}`);
    await expect(rowOf('halt').result()).rejects.toThrow('cancelled');
    await expect(world.client.workflow.getHandle(workflowId).result()).rejects.toThrow('cancelled');
    const watched = await world.runHere('watch', workflowId, '--json');
    expect(watched.code).toBe(1);
    expect(watched.json()).toMatchObject({ error: { type: 'CANCELLED' } });
    expect(watched.stderr).toContain('Start it again with the same rows');
    goOn();
    const again = await world.runHere(...batch.command, '--key', 'key', '--retry-failed');
    expect(again.json()).toMatchObject({ status: 'COMPLETED', completed: 2 });
    expect(batch.bought()).toHaveLength(4);
  });
});
