import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import type { PipelineProgress } from '../../src/contract/pipeline.ts';
import { type Darkroom, startDarkroom } from '../../src/worker/start-darkroom.ts';
import { patience } from '../patience.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../workflows/world.ts';

const DEPLOYMENT = `darkroom-${process.pid}`;
/** Until the server has told all task queues which version is current, with its activities' second try. */
const TOLD = { timeout: patience(180_000), interval: 200 };
const TOO_LONG = patience(600_000);
const SILENT = { debug() {}, info() {}, warn() {} };

let world: World;
const fleets: Darkroom[] = [];

beforeAll(async () => {
  world = await openWorld();
  await world.stopWorker();
});
afterAll(async () => {
  for (const fleet of fleets) await fleet.stop();
  await world.close();
});

/** Starts a worker of that version beside those that run. */
async function start(buildId: string): Promise<void> {
  const config = { ...world.config, deployment: { name: DEPLOYMENT, buildId } };
  fleets.push(await startDarkroom(config, { worker: true, receiver: false, preflight: false, log: SILENT }));
}

/**
 * Makes a version the current one: what is started from now on is its. The server tells its task queues one after the
 * other, and on a busy machine takes a minute for it: until then a run may still begin with the one before.
 */
async function make(buildId: string): Promise<void> {
  const { workflowService, options } = world.client;
  await eventually(() =>
    workflowService.setWorkerDeploymentCurrentVersion({
      namespace: options.namespace,
      deploymentName: DEPLOYMENT,
      buildId,
      ignoreMissingTaskQueues: true,
    }),
  );
}

/** The version that a run is pinned to, once it has made a step. */
async function versionOf(handle: Pick<Generation, 'describe'>): Promise<string | null | undefined> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

it(
  'a fleet is upgraded and rolled back under load: each generation ends with the version it was begun with',
  async () => {
    const release = world.hold('version');
    const versions = (all: readonly Generation[]) => Promise.all(all.map(versionOf));
    /** Starts generations until one has begun with that version. */
    const load = async (version: string): Promise<Generation[]> => {
      const begun: Generation[] = [];
      await vi.waitFor(async () => {
        const more = await Promise.all(
          Array.from({ length: 5 }, (_, index) =>
            world.start(image(`version ${version} ${begun.length + index}`)),
          ),
        );
        begun.push(...more);
        await Promise.all(more.map((handle) => world.until(handle, 'waiting')));
        expect(await versions(more)).toContain(version);
      }, TOLD);
      return begun;
    };

    await start('1');
    await make('1');
    const all = await load('1');
    await start('2');
    await make('2');
    all.push(...(await load('2')));
    await make('1');
    all.push(...(await load('1')));
    const begunWith = await versions(all);
    release();

    const results = await Promise.all(all.map((handle) => handle.result()));
    expect(results.map(({ attempts }) => attempts.length)).toEqual(all.map(() => 1));
    expect(all.flatMap((handle) => world.bought(handle))).toHaveLength(all.length);
    expect(await versions(all)).toEqual(begunWith);
  },
  TOO_LONG,
);

it(
  'a version drains although its runs wait for people: they go on in the next one, and are answered there',
  async () => {
    await start('3');
    await make('3');
    world.fault({
      on: 'submit',
      match: { promptIncludes: 'nobody knows' },
      times: 1,
      fault: { kind: 'lost-before' },
    });
    const asks = await world.start(
      image('nobody knows', { ...FAST, reconcile: { wait: '100ms', otherwise: 'ask' } }),
    );
    await vi.waitFor(() => world.until(asks, 'needs a decision'), TOLD);
    const only = { model: 'image-l', input: { prompt: 'to be approved' }, approve: true };
    const waits = await world.pipeline({ policy: FAST, steps: { only } });
    const isAsked = async (): Promise<void> => {
      const { steps } = await waits.query<PipelineProgress>('progress');
      expect(steps['only']?.status).toBe('approval');
    };
    await vi.waitFor(isAsked, TOLD);
    expect(await Promise.all([versionOf(asks), versionOf(waits)])).not.toContain('4');

    await start('4');
    await make('4');
    // What wakes a run: of the generation the next look for evidence, of the pipeline anything that it is told.
    await vi.waitFor(async () => {
      await waits.signal('stepState', { path: 'only', state: null, note: null });
      expect(await Promise.all([versionOf(asks), versionOf(waits)])).toEqual(['4', '4']);
    }, TOLD);
    await vi.waitFor(() => world.until(asks, 'needs a decision'), TOLD);
    await asks.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
    await vi.waitFor(isAsked, TOLD);
    await waits.executeUpdate('approve', { args: [{ step: 'only' }] });
    await expect(asks.result()).resolves.toMatchObject({ status: 'COMPLETED' });
    await expect(waits.result()).resolves.toMatchObject({ status: 'COMPLETED' });
    expect(world.bought(asks)).toHaveLength(1);
  },
  TOO_LONG,
);
