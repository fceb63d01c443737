import { execFile } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import proto from '@temporalio/proto';
import { rerunWith } from '../../src/client/starting/rerun.ts';
import { decideUpdate } from '../../src/contract/messages.ts';
import { type EntityKind, entityId } from '../../src/contract/workflow-ids.ts';
import { readHistory } from '../../src/temporal/history.ts';
import { resetPoints, resetRun } from '../../src/temporal/reset-run.ts';
import { taskIdsIn } from './facts.ts';
import { isEvent, isSubmit, isTelling, type Moment } from './moments.ts';
import { belowQuery } from './places.ts';
import type { Play } from './play.ts';
import type { Scene } from './scenes.ts';

const {
  RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: SIGNALS,
  RESET_REAPPLY_EXCLUDE_TYPE_UPDATE: UPDATES,
  RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST: CANCELS,
} = proto.temporal.api.enums.v1.ResetReapplyExcludeType;

/** Something that is done to a scene at a moment. */
export interface Act {
  name: string;
  /** Which moments it can be done at; absent: at each. */
  fits?: (moment: Moment, scene: Scene) => boolean;
  /** Laid over the scene's policy. */
  policy?: object;
  /** Before the scene begins. */
  prepare?: (play: Play) => void;
  /** @throws NothingThere where there is nothing to do it to */
  act: (play: Play) => Promise<void>;
}

/** There is nothing that the act could be done to: the cell is none. */
export class NothingThere extends Error {}

/** The main workflow's own submit: the acts on an activity find no other. */
const OWN_SUBMIT = /^\w+ (submitTask|POST)#/;
const ENTITIES: readonly EntityKind[] = ['unclaimed-tasks', 'credit-gate', 'submit-pace'];
/** How long a run may take that Temporal tries again after that, on a quick machine (s). */
const RUN = 6;
/** Longer than an event is kept before it is handed on (ms). */
const RECEIVER_AWAY = 3_000;
/** By when visibility lists what has just happened (ms). */
const LISTED = 3_000;
/** When everything that is told is known by (ms). */
const LATER = 10_000;
/** Longer than a call takes to end, and shorter than the pause before the next one (ms). */
const A_MOMENT = 400;
/** How long a workflow may take to come to its next state, on a quick machine (ms). */
const SOON = 25_000;

const isOver = ({ name }: Moment): boolean => /^event workflow-execution-(completed|failed)/.test(name);

/** A pipeline runs again under another id, and a batch is started again with its rows. */
const isGeneration = ({ starts }: Scene): boolean => starts('')[0]?.type === 'generation';

/** The latest run of what acts are about. */
async function latestRun({
  handle,
  main,
}: Play): Promise<{ workflowId: string; runId: string; isRunning: boolean }> {
  const { runId, status } = await handle.describe();
  return { workflowId: main.workflowId, runId, isRunning: status.name === 'RUNNING' };
}

/** @param point from 1; the last one where there are fewer */
async function reset(play: Play, point: number, run?: string): Promise<string> {
  const { client } = play.stage;
  const { workflowId, runId } =
    run === undefined ? await latestRun(play) : { workflowId: play.main.workflowId, runId: run };
  const points = await resetPoints(client, { workflowId, runId });
  const at = points[Math.min(point, points.length) - 1];
  if (at === undefined) throw new NothingThere('there is no point to Reset to yet');
  return await resetRun(client, { workflowId, runId }, at, 'the explorer');
}

async function resetWithoutMessages(play: Play, point: number): Promise<void> {
  const { client } = play.stage;
  const { workflowId, runId } = await latestRun(play);
  const points = await resetPoints(client, { workflowId, runId });
  const at = points[Math.min(point, points.length) - 1];
  if (at === undefined) throw new NothingThere('there is no point to Reset to yet');
  await client.workflowService.resetWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
    workflowTaskFinishEventId: at,
    requestId: randomUUID(),
    reason: 'the explorer',
    resetReapplyExcludeTypes: [SIGNALS, UPDATES, CANCELS],
  });
}

async function terminate(play: Play): Promise<string> {
  const { workflowId, runId, isRunning } = await latestRun(play);
  if (isRunning) await play.stage.client.workflow.getHandle(workflowId, runId).terminate('the explorer');
  return runId;
}

/** Waits, within bounds, until something holds. */
async function soon({ stage }: Play, check: () => Promise<boolean>, within = SOON): Promise<boolean> {
  const until = Date.now() + within * stage.slowness;
  while (Date.now() < until) {
    if (await check()) return true;
    await delay(50);
  }
  return false;
}

/** As retention does: nothing tells of the run any more. */
async function deleteRun(play: Play, { workflowId, runId }: { workflowId: string; runId: string }) {
  const { client } = play.stage;
  const events = (await readHistory(client, workflowId, runId)) ?? [];
  for (const taskId of events.flatMap(taskIdsIn)) play.done.forgottenTasks.add(taskId);
  await client.workflowService.deleteWorkflowExecution({
    namespace: client.options.namespace,
    workflowExecution: { workflowId, runId },
  });
  const gone = client.workflow.getHandle(workflowId, runId);
  await soon(
    play,
    async () =>
      await gone.describe().then(
        () => false,
        () => true,
      ),
  );
  play.done.forgottenAt.push(Date.now());
}

/** The runs of the steps and children of what acts are about. */
async function runsBelow({ stage, main }: Play) {
  const query = belowQuery(main.workflowId);
  const found: { workflowId: string; runId: string; isRunning: boolean }[] = [];
  for await (const { workflowId, runId, status } of stage.client.workflow.list({ query }))
    found.push({ workflowId, runId, isRunning: status.name === 'RUNNING' });
  return found;
}

/** The steps and children that have ended. @throws NothingThere */
async function endedChildren(play: Play): Promise<Awaited<ReturnType<typeof runsBelow>>> {
  let ended: Awaited<ReturnType<typeof runsBelow>> = [];
  const isListed = async (): Promise<boolean> => {
    ended = (await runsBelow(play)).filter(({ isRunning }) => !isRunning);
    return ended.length > 0;
  };
  await soon(play, isListed, LISTED);
  if (ended.length === 0) throw new NothingThere('no child has ended');
  return ended;
}

/** The runs before the latest one. @throws NothingThere */
async function earlierRuns(play: Play): Promise<{ workflowId: string; runId: string }[]> {
  const { workflowId, runId } = await latestRun(play);
  const query = `WorkflowId = '${workflowId}' AND CloseTime IS NOT NULL`;
  const earlier: string[] = [];
  const isListed = async (): Promise<boolean> => {
    for await (const run of play.stage.client.workflow.list({ query }))
      if (run.runId !== runId) earlier.push(run.runId);
    return earlier.length > 0;
  };
  await soon(play, isListed, LISTED);
  if (earlier.length === 0) throw new NothingThere('it is the first run');
  return [...new Set(earlier)].map((one) => ({ workflowId, runId: one }));
}

/** The entities of the place that run. */
async function entitiesOf({ stage, place }: Play) {
  const found = await Promise.all(
    ENTITIES.map(async (kind) => {
      const id = entityId(kind, place, stage.taskQueue);
      try {
        const { status } = await stage.client.workflow.getHandle(id).describe();
        return status.name === 'RUNNING' ? [{ kind, id }] : [];
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return [];
        throw error;
      }
    }),
  );
  const entities = found.flat();
  if (entities.length === 0) throw new NothingThere('no entity runs');
  return entities;
}

async function pendingSubmit({ stage, handle }: Play) {
  const { raw, runId } = await handle.describe();
  const pending = raw.pendingActivities?.find(({ activityType }) => activityType?.name === 'submitTask');
  const id = pending?.activityId;
  if (id == null) throw new NothingThere('no submit is open');
  const execution = { workflowId: handle.workflowId, runId };
  return { namespace: stage.client.options.namespace, execution, id, identity: 'the explorer' };
}

const run = promisify(execFile);
const STARTER = fileURLToPath(new URL('../../src/starter.ts', import.meta.url));

/** `darkroom <command> …`, as somebody types it. */
async function commandLine({ stage }: Play, ...words: string[]): Promise<void> {
  const { address } = stage.client.connection.options;
  const env = { ...process.env, TEMPORAL_ADDRESS: address, DARKROOM_TASK_QUEUE: stage.taskQueue };
  await run(process.execPath, [STARTER, ...words], { env });
}

/** Acts that are done to one scene, whatever else plays beside it. */
const SINGLE: readonly Act[] = [
  {
    name: 'receiver away',
    fits: isTelling,
    async act(play) {
      const { gateway } = play.stage;
      gateway.away(play.place, true);
      play.watch.release();
      await delay(RECEIVER_AWAY);
      gateway.away(play.place, false);
    },
  },
  {
    name: 'terminate, run again',
    fits: (moment, scene) => isGeneration(scene) && !isOver(moment),
    async act(play) {
      await terminate(play);
      await rerunWith(play.stage.client, play.main.workflowId, {});
    },
  },
  {
    name: 'run again',
    // One that is under way is Reset to its first point: that is another act.
    fits: (moment, scene) => isGeneration(scene) && isOver(moment),
    act: async (play) => void (await rerunWith(play.stage.client, play.main.workflowId, {})),
  },
  {
    name: 'reset by the command line',
    fits: (moment) => isOver(moment) || (moment.points > 0 && moment.name === 'answered POST#1'),
    act: async (play) => await commandLine(play, 'reset', play.main.workflowId),
  },
  {
    name: 'rerun by the command line',
    fits: (moment, { starts }) =>
      isOver(moment) && ['generation', 'pipeline'].includes(starts('')[0]?.type ?? ''),
    async act(play) {
      const { type, workflowId } = play.main;
      const again = `${workflowId}.rerun-${randomBytes(3).toString('hex')}`;
      if (type === 'pipeline') play.alsoStarted.push(again);
      const id = type === 'pipeline' ? ['--id', again.slice('pipeline/'.length)] : [];
      // It waits for the end, and says with its exit code how that is.
      await commandLine(play, 'rerun', workflowId, ...id).catch(() => undefined);
    },
  },
  {
    name: 'terminate, start anew',
    async act(play) {
      await terminate(play);
      play.done.wanted.push({ workflowId: play.main.workflowId, at: Date.now() });
      await play.start(play.main, { workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
    },
  },
  {
    name: 'workflow retry',
    // Where evidence comes: whoever waits for a submit that is open waits for as long as it may be.
    fits: (moment, { faults }) => isSubmit(moment) && faults === undefined,
    policy: { submit: { timeout: '3m', heartbeat: '2m' } },
    prepare(play) {
      const seconds = Math.ceil(RUN * play.stage.slowness);
      play.startOptions = { workflowRunTimeout: `${seconds}s`, retry: { initialInterval: '10ms' } };
    },
    async act(play) {
      const { runId, isRunning } = await latestRun(play);
      if (!isRunning) throw new NothingThere('it is over');
      await soon(play, async () => (await latestRun(play)).runId !== runId);
    },
  },
  {
    name: 'reset the activity',
    fits: ({ name }) => OWN_SUBMIT.test(name),
    async act(play) {
      await play.stage.client.workflowService.resetActivity(await pendingSubmit(play));
    },
  },
  {
    name: 'pause the activity, unpause it',
    fits: ({ name }) => OWN_SUBMIT.test(name),
    async act(play) {
      const submit = await pendingSubmit(play);
      const { workflowService } = play.stage.client;
      await workflowService.pauseActivity(submit);
      play.watch.release();
      await delay(400);
      await workflowService.unpauseActivity(submit).catch(() => undefined); // it may have ended meanwhile
    },
  },
  {
    name: 'terminate the entities',
    fits: (moment, { faults }) => faults !== undefined && isTelling(moment),
    async act(play) {
      for (const { id } of await entitiesOf(play)) {
        await play.stage.client.workflow.getHandle(id).terminate('the explorer');
      }
      play.done.forgottenAt.push(Date.now());
    },
  },
  {
    name: 'reset the entities',
    fits: (moment, { faults }) => faults !== undefined && isTelling(moment),
    async act(play) {
      const { client } = play.stage;
      for (const { id } of await entitiesOf(play)) {
        const { runId } = await client.workflow.getHandle(id).describe();
        const points = await resetPoints(client, { workflowId: id, runId });
        const [first] = points;
        if (first !== undefined) await resetRun(client, { workflowId: id, runId }, first, 'the explorer');
      }
    },
  },
  {
    name: 'entities without a worker',
    // To the end: later moments differ by nothing that is lost by then.
    fits: (moment, { faults }) => faults !== undefined && isSubmit(moment),
    async act(play) {
      const { client, taskQueue } = play.stage;
      const id = entityId('unclaimed-tasks', play.place, taskQueue);
      await client.workflow
        .getHandle(id)
        .terminate('the explorer')
        .catch(() => undefined); // none runs yet
      await client.workflow.start('unclaimedTasks', {
        workflowId: id,
        taskQueue: `nobody-${taskQueue}`,
        args: [{ workspace: play.place, limits: {} }],
      });
      // Nobody is told of anything from now on.
      play.done.forgottenAt.push(Infinity);
    },
  },
  {
    name: 'reset, earlier run deleted',
    fits: ({ points }) => points > 0,
    async act(play) {
      const { runId, workflowId } = await latestRun(play);
      await reset(play, 1);
      await deleteRun(play, { workflowId, runId });
    },
  },
  {
    name: 'children deleted, reset',
    fits: ({ points, ended }) => points > 0 && ended > 0,
    async act(play) {
      for (const run of await endedChildren(play)) await deleteRun(play, run);
      await reset(play, 1);
    },
  },
  {
    name: 'later, run again',
    fits: (moment, { refused }) => refused !== undefined && isOver(moment),
    async act(play) {
      await delay(LATER);
      await rerunWith(play.stage.client, play.main.workflowId, {});
    },
  },
  {
    name: 'a moment later, reset',
    fits: (moment, scene) =>
      isGeneration(scene) && scene.faults !== undefined && isEvent(moment) && moment.points > 0,
    async act(play) {
      await delay(A_MOMENT);
      await reset(play, 1);
    },
  },
  {
    name: 'terminate, earlier runs deleted, run again',
    fits: (_, { stage, isAdopted }) => stage?.longAfter !== undefined || isAdopted === true,
    async act(play) {
      const earlier = await earlierRuns(play);
      await terminate(play);
      for (const run of earlier) await deleteRun(play, run);
      await rerunWith(play.stage.client, play.main.workflowId, {});
    },
  },
  {
    name: 'children deleted, terminate, start anew',
    fits: ({ ended }) => ended > 0,
    async act(play) {
      for (const run of await endedChildren(play)) await deleteRun(play, run);
      await terminate(play);
      await play.start(play.main, { workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
    },
  },
  {
    name: 'terminate, rerun',
    fits: (_, { starts }) => starts('')[0]?.type === 'pipeline',
    async act(play) {
      await terminate(play);
      play.alsoStarted.push(await rerunWith(play.stage.client, play.main.workflowId, {}));
    },
  },
  {
    name: 'terminate, children deleted, rerun',
    fits: ({ ended }, { starts }) => ended > 0 && starts('')[0]?.type === 'pipeline',
    async act(play) {
      const ended = await endedChildren(play);
      await terminate(play);
      for (const run of ended) await deleteRun(play, run);
      play.alsoStarted.push(await rerunWith(play.stage.client, play.main.workflowId, {}));
    },
  },
  {
    name: 'reset a child',
    // Below a batch are its rows as well, which do nothing.
    fits: (_, { starts }) => ['pipeline', 'own'].includes(starts('')[0]?.type ?? ''),
    async act(play) {
      const { client } = play.stage;
      let child: Awaited<ReturnType<typeof runsBelow>>[number] | undefined;
      const isListed = async (): Promise<boolean> => {
        child = (await runsBelow(play)).find(({ isRunning }) => isRunning);
        return child !== undefined;
      };
      await soon(play, isListed, LISTED);
      const [point] = child === undefined ? [] : await resetPoints(client, child);
      if (child === undefined || point === undefined) throw new NothingThere('no child runs');
      await resetRun(client, child, point, 'the explorer');
    },
  },
  {
    name: 'two decisions at once',
    fits: (moment, { decides }) => decides !== undefined && isEvent(moment) && !isOver(moment),
    async act(play) {
      const { handle, books, main } = play;
      const at = Date.now();
      const taskId = books.ofUse(main.workflowId);
      const decide = (args: [{ action: 'resubmit' | 'adopt'; taskId?: string }]) =>
        handle.executeUpdate(decideUpdate, { args }).then(
          () => true,
          () => false,
        );
      const adopted = decide([{ action: 'adopt', ...(taskId === undefined ? {} : { taskId }) }]);
      const [, again] = await Promise.all([adopted, decide([{ action: 'resubmit' }])]);
      if (again) play.done.wanted.push({ workflowId: main.workflowId, at });
    },
  },
];

/** Resets, by the point that they go back to. */
const TO_A_POINT: readonly {
  name: string;
  /** More than one Reset: the points at the ends show what those between do, and no call that only reads makes a difference. */
  isCompound?: true;
  act: (play: Play, point: number) => Promise<void>;
}[] = [
  {
    name: 'reset to #',
    act: async (play, point) => void (await reset(play, point)),
  },
  {
    name: 'reset to # without messages',
    act: resetWithoutMessages,
  },
  {
    name: 'reset to # twice',
    isCompound: true,
    async act(play, point) {
      const { runId } = await latestRun(play);
      await reset(play, point, runId);
      play.watch.release();
      await delay(150);
      await reset(play, point, runId);
    },
  },
  {
    name: 'reset to #, reset that',
    isCompound: true,
    async act(play, point) {
      const { workflowId } = play.main;
      const runId = await reset(play, point);
      play.watch.release();
      const before = (await resetPoints(play.stage.client, { workflowId, runId })).length;
      await soon(
        play,
        async () => (await resetPoints(play.stage.client, { workflowId, runId })).length > before,
      );
      await reset(play, 1);
    },
  },
  {
    name: 'cancel, reset to #',
    isCompound: true,
    async act(play, point) {
      const { runId, isRunning } = await latestRun(play);
      if (!isRunning) throw new NothingThere('it is over');
      const { client } = play.stage;
      const { workflowId } = play.main;
      // A point after the cancellation would have it in its past.
      const points = await resetPoints(client, { workflowId, runId });
      const at = points[Math.min(point, points.length) - 1];
      if (at === undefined) throw new NothingThere('there is no point to Reset to yet');
      await play.handle.cancel();
      play.watch.release();
      const isClosed = await soon(play, async () => !(await latestRun(play)).isRunning);
      if (isClosed) await resetRun(client, { workflowId, runId }, at, 'the explorer');
    },
  },
];

const POINT = /^(.*) (\d+)(.*)$/;

/** The acts that can be done to a scene at a moment. */
export function actsAt(moment: Moment, scene: Scene): Act[] {
  const resets = TO_A_POINT.flatMap(({ name, isCompound = false, act }) => {
    if (isCompound && !isTelling(moment)) return [];
    if (name.startsWith('cancel') && isOver(moment)) return [];
    // Without any messages it is the same as with them.
    if (name.endsWith('without messages') && moment.messages === 0) return [];
    const all = Array.from({ length: moment.points }, (_, index) => index + 1);
    // Where it is under way, the points between differ by nothing that the ones at the ends do not show.
    const points =
      isCompound || !isOver(moment)
        ? [...new Set([all[0], all.at(-1)])].flatMap((point) => point ?? [])
        : all;
    return points.map(
      (point): Act => ({ name: name.replace('#', String(point)), act: (play) => act(play, point) }),
    );
  });
  return [...resets, ...SINGLE.filter(({ fits }) => fits?.(moment, scene) !== false)];
}

/** An act by its name, whatever the moment. */
export function findAct(name: string): Act | undefined {
  const [, before, point, after] = POINT.exec(name) ?? [];
  const row = TO_A_POINT.find((one) => one.name === `${before} #${after}`);
  if (row !== undefined) return { name, act: (play) => row.act(play, Number(point)) };
  return SINGLE.find((act) => act.name === name);
}
