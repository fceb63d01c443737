import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { PipelineProgress } from '../../src/contract/pipeline.ts';
import { type Darkroom, startDarkroom } from '../../src/worker/start-darkroom.ts';
import { eventually, FAST, type Generation, image, openWorld, type World } from '../workflows/world.ts';

const { ROUTING_CONFIG_UPDATE_STATE_COMPLETED } = proto.temporal.api.enums.v1.RoutingConfigUpdateState;
const DEPLOYMENT = `darkroom-${process.pid}`;
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

/** Makes a version the current one: what is started from now on is its, once all task queues know of it. */
async function make(buildId: string): Promise<void> {
  const { workflowService, options } = world.client;
  const { namespace } = options;
  await eventually(() =>
    workflowService.setWorkerDeploymentCurrentVersion({
      namespace,
      deploymentName: DEPLOYMENT,
      buildId,
      ignoreMissingTaskQueues: true,
    }),
  );
  await eventually(async () => {
    const told = await workflowService.describeWorkerDeployment({ namespace, deploymentName: DEPLOYMENT });
    const { routingConfig, routingConfigUpdateState } = told.workerDeploymentInfo ?? {};
    expect(routingConfig?.currentDeploymentVersion?.buildId).toBe(buildId);
    expect(routingConfigUpdateState).toBe(ROUTING_CONFIG_UPDATE_STATE_COMPLETED);
  });
}

/** The version that a run is pinned to, once it has made a step. */
async function versionOf(handle: Pick<Generation, 'describe'>): Promise<string | null | undefined> {
  const { raw } = await handle.describe();
  return raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId;
}

it('a fleet is upgraded and rolled back under load: each generation ends with the version it was begun with', async () => {
  const release = world.hold('version');
  const load = async (version: string) =>
    await Promise.all(
      Array.from({ length: 5 }, (_, index) => world.start(image(`version ${version} ${index}`))),
    );

  await start('1');
  await make('1');
  const begun = await load('one');
  await Promise.all(begun.map((handle) => world.until(handle, 'waiting')));
  await start('2');
  await make('2');
  const upgraded = await load('two');
  await Promise.all(upgraded.map((handle) => world.until(handle, 'waiting')));
  await make('1');
  const rolledBack = await load('one again');

  await Promise.all(rolledBack.map((handle) => world.until(handle, 'waiting')));
  release();

  const all = [...begun, ...upgraded, ...rolledBack];
  const results = await Promise.all(all.map((handle) => handle.result()));
  expect(results.map(({ attempts }) => attempts.length)).toEqual(all.map(() => 1));
  expect(all.flatMap((handle) => world.bought(handle))).toHaveLength(all.length);
  expect(await Promise.all(all.map(versionOf))).toEqual(
    ['1', '2', '1'].flatMap((version) => Array.from({ length: 5 }, () => version)),
  );
});

it('a version drains although its runs wait for people: they go on in the next one, and are answered there', async () => {
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
  await world.until(asks, 'needs a decision');
  const only = { model: 'image-l', input: { prompt: 'to be approved' }, approve: true };
  const waits = await world.pipeline({ policy: FAST, steps: { only } });
  const isAsked = async (): Promise<void> => {
    const { steps } = await waits.query<PipelineProgress>('progress');
    expect(steps['only']?.status).toBe('approval');
  };
  await eventually(isAsked);
  expect(await Promise.all([versionOf(asks), versionOf(waits)])).toEqual(['3', '3']);

  await start('4');
  await make('4');
  // What wakes a run: of the generation the next look for evidence, of the pipeline anything that it is told.
  await eventually(async () => {
    await waits.signal('stepState', { path: 'only', state: null, note: null });
    expect(await Promise.all([versionOf(asks), versionOf(waits)])).toEqual(['4', '4']);
  });
  await world.until(asks, 'needs a decision');
  await asks.executeUpdate('decide', { args: [{ action: 'resubmit' }] });
  await eventually(isAsked);
  await waits.executeUpdate('approve', { args: [{ step: 'only' }] });
  await expect(asks.result()).resolves.toMatchObject({ status: 'COMPLETED' });
  await expect(waits.result()).resolves.toMatchObject({ status: 'COMPLETED' });
  expect(world.bought(asks)).toHaveLength(1);
});
