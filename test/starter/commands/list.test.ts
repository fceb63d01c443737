import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DarkroomClient } from '../../../src/client/index.ts';
import { patience } from '../../patience.ts';
import { FAST, image } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
const good = `generation/${randomUUID()}`;
const bad = `generation/${randomUUID()}`;
const asking = `generation/${randomUUID()}`;
const pipeline = `pipeline/${randomUUID()}`;

/** Runs of every kind, there for good. */
beforeAll(async () => {
  world = await openStarterWorld();
  world.fault({ on: 'submit', match: { promptIncludes: 'asking' }, fault: { kind: 'lost-before' } });
  const policy = { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } };
  const steps = { sound: { model: 'speech-b', input: { text: 'hello' } } };
  const [one, two, three, four] = await Promise.all([
    world.start(image('good'), good),
    world.start(image('[[reject]]'), bad),
    world.pipeline({ policy: FAST, steps, tags: { team: 'film' } }, pipeline),
    world.start(image('asking', policy), asking),
  ]);
  await Promise.all([
    one.result(),
    world.failureOf(two),
    three.result(),
    world.until(four, 'needs a decision'),
  ]);
});
afterAll(async () => {
  await world.client.workflow.getHandle(asking).terminate();
  await world.close();
});

/** The workflow ids that `list` tells of, sorted. Visibility lags: to be polled. */
async function listed(...args: string[]): Promise<string[]> {
  const { json } = await world.runHere('list', ...args, '--json');
  return (json() as { workflowId: string }[]).map(({ workflowId }) => workflowId).sort(); // the contract's
}

const PATIENTLY = { timeout: patience(60_000) };

describe('starter list', () => {
  it('lists what ran on the task queue, steps of pipelines too', async () => {
    const all = [good, bad, asking, pipeline, `${pipeline}/sound`];
    await expect.poll(() => listed(), PATIENTLY).toEqual(all.sort());
  });

  it.each<[string[], string[]]>([
    [['--failed'], [bad]],
    [['--needs-a-look'], [asking]],
    [['--state', 'needs a decision'], [asking]],
    [['--state', 'Running'], [asking]],
    [['--state', 'failed'], [bad]],
    [
      ['--model', 'speech-b'],
      [pipeline, `${pipeline}/sound`],
    ],
    [['--model', 'image-l', '--state', 'completed'], [good]],
    [
      ['--workspace', 'default', '--state', 'completed'],
      [good, pipeline, `${pipeline}/sound`],
    ],
    [['--workspace', 'else\'where"\\'], []],
    [['--type', 'pipeline'], [pipeline]],
    [['--since', '1d', '--model', 'speech-b', '--type', 'generation'], [`${pipeline}/sound`]],
    [['--until', '2020-01-01'], []],
    [
      ['--tag', 'team=film'],
      [pipeline, `${pipeline}/sound`],
    ],
    [['--tag', 'team=film', '--tag', 'shot=1'], []],
  ])('%j: lists those alone', async (args, expected) => {
    await expect.poll(() => listed(...args), PATIENTLY).toEqual(expected.sort());
  });

  it('tells of each run what the contract says, and nothing else', async () => {
    await expect.poll(() => listed('--needs-a-look'), PATIENTLY).toEqual([asking]);
    const { json } = await world.runHere('list', '--needs-a-look', '--json');
    const { runId, startTime } = await world.client.workflow.getHandle(asking).describe();
    expect(json()).toEqual([
      {
        workflowId: asking,
        runId,
        type: 'generation',
        status: 'RUNNING',
        state: 'needs a decision',
        model: 'image-l',
        workspace: 'default',
        startedAt: startTime.toISOString(),
        closedAt: null,
      },
    ]);
  });

  it('shows people what failed and with what, and no more than they want', async () => {
    const failed = await world.runHere('list', '--failed');
    expect(failed.stdout).toMatch(new RegExp(`│ ${bad} │ failed │ .*│ IMAGE_GENERATION_CONTENT_REJECTED │`));
    const { stdout } = await world.runHere('list', '--limit', '2');
    expect(stdout.match(/^│ (generation|pipeline)\//gm)).toHaveLength(2);
    expect(stdout).toContain('The first 2; more with --limit.');
    const none = await world.runHere('list', '--workspace', 'nowhere');
    expect(none).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing of that kind/) as unknown,
    });
  });

  it('finds by model and workspace what failed before it held a task, also what is no request', async () => {
    const wrong = `generation/${randomUUID()}`;
    await world.failureOf(await world.start({ model: 'image-m', input: {}, workspace: 'films' }, wrong));
    await expect.poll(() => listed('--failed', '--model', 'image-m'), PATIENTLY).toEqual([wrong]);
    await expect.poll(() => listed('--workspace', 'films'), PATIENTLY).toEqual([wrong]);
    await expect.poll(() => listed('--failed', '--model', 'image-l'), PATIENTLY).toContain(bad);
  });

  it('leaves out of what failed what a later run of the same id has mended, by rerun and by Reset', async () => {
    const ids = [`generation/${randomUUID()}`, `generation/${randomUUID()}`];
    const [again = '', reset = ''] = ids;
    for (const id of ids) {
      const fault = { kind: 'error', code: 'UNAUTHORIZED' } as const;
      world.fault({ on: 'submit', match: { promptIncludes: id }, times: 1, fault });
      await world.failureOf(await world.start(image(id), id));
    }
    const darkroom = new DarkroomClient(world.client, { taskQueue: world.config.taskQueue });
    const failed = async (): Promise<string[]> => {
      const { runs } = await darkroom.list({ state: 'failed', limit: 1_000 });
      return runs.map(({ workflowId }) => workflowId);
    };
    await expect.poll(() => listed('--failed'), PATIENTLY).toEqual(expect.arrayContaining(ids));
    expect(await failed()).toEqual(expect.arrayContaining(ids));
    expect(await world.runHere('rerun', again)).toMatchObject({ code: 0 });
    expect(await world.runHere('reset', reset)).toMatchObject({ code: 0 });
    await world.client.workflow.getHandle(reset).result();
    const neither = expect.not.arrayContaining([expect.stringMatching(new RegExp(ids.join('|')))]) as unknown;
    await expect.poll(() => listed('--failed'), PATIENTLY).toEqual(neither);
    await expect.poll(failed, PATIENTLY).toEqual(neither);
    expect(await listed('--failed')).toContain(bad);
  });
});
