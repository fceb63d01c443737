import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowNotFoundError } from '@temporalio/client';
import { RerunRefusedError } from '../../src/client/failures/rerun-refused-error.ts';
import { rerunWith } from '../../src/client/starting/rerun.ts';
import { decideUpdate } from '../../src/contract/messages.ts';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { resetPoints, resetRun } from '../../src/temporal/reset-run.ts';
import { type Act, isGeneration, isOver, NothingThere } from './act.ts';
import {
  accountsOf,
  commandLine,
  deleteRun,
  earlierRuns,
  endedChildren,
  entitiesOf,
  latestRun,
  pendingSubmit,
  runsBelow,
  soon,
  terminate,
} from './handles.ts';
import { isEvent, isSubmit, isTelling } from './moments.ts';
import type { Play } from './play.ts';
import { reset } from './resets.ts';

/** The main workflow's own submit: the acts on an activity find no other. */
const OWN_SUBMIT = /^\w+ (submitTask|POST)#/;
const ANSWERED = /^answered (\S+:)?POST#/;
/** A run comes back to an entity that does not answer for up to five minutes before it asks a person, whose word it tells the entity for a minute (ms). */
const ENTITY_ASKED = 8 * 60_000;
/** How long a run may take that Temporal tries again after that, on a quick machine (s). */
const RUN = 6;
/** Longer than an event is kept before it is handed on (ms). */
const RECEIVER_AWAY = 3_000;
/** By when visibility lists what has just happened (ms). */
const LISTED = 3_000;
/** When everything that is told is known by, on a quick machine (ms). */
const LATER = 10_000;
/** Longer than a call takes to end, and shorter than the pause before the next one (ms). */
const A_MOMENT = 400;

async function startAnew(play: Play): Promise<void> {
  const { done, main, scene } = play;
  const { laterChild } = scene;
  if (laterChild !== undefined)
    done.wanted.push({ workflowId: `generation/${main.workflowId}/${laterChild}`, at: Date.now() });
  await play.start(main, { workflowIdReusePolicy: 'ALLOW_DUPLICATE' });
}

/** Acts that are done to one scene, whatever else plays beside it. */
export const SINGLE: readonly Act[] = [
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
      // Refused where the scene has run it again meanwhile.
      await rerunWith(play.stage.client, play.main.workflowId, {}).catch((error: unknown) => {
        if (!(error instanceof RerunRefusedError)) throw error;
      });
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
    fits: (moment, { starts }) =>
      ['generation', 'pipeline'].includes(starts('')[0]?.type ?? '') &&
      (isOver(moment) || (moment.points > 0 && moment.name === 'answered POST#1')),
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
      // It waits for the end, and says with its exit code how that is; not for long, because a person may be asked.
      await commandLine(play, 'rerun', workflowId, ...id, '--timeout', '20s').catch(() => undefined);
    },
  },
  {
    name: 'terminate, start anew',
    async act(play) {
      await terminate(play);
      play.done.wanted.push({ workflowId: play.main.workflowId, at: Date.now() });
      await startAnew(play);
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
        await play.stage.client.workflow.getHandle(id).terminate('the explorer').catch(ignoreEnded);
      }
      play.done.forgottenAt.push(Date.now());
    },
  },
  {
    name: 'reset the entities',
    fits: (moment, { faults }) => faults !== undefined && isTelling(moment),
    async act(play) {
      for (const entity of await entitiesOf(play)) await resetToFirst(play, entity);
    },
  },
  {
    name: 'reset the accounts',
    fits: (moment, { limit }) => limit !== undefined && isTelling(moment),
    async act(play) {
      for (const account of await accountsOf(play)) await resetToFirst(play, account);
    },
  },
  {
    name: 'entities without a worker',
    // To the end, and nothing needs an entity before an answer is lost.
    fits: ({ name }, { faults }) => faults !== undefined && ANSWERED.test(name),
    bound: ENTITY_ASKED,
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
      await delay(LATER * play.stage.slowness);
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
      await startAnew(play);
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

/** It has ended by itself meanwhile. */
function ignoreEnded(error: unknown): void {
  if (!(error instanceof WorkflowNotFoundError)) throw error;
}

/** To its first point, with all that it was told since. */
async function resetToFirst(
  { stage: { client } }: Play,
  { id: workflowId, runId }: { id: string; runId: string },
): Promise<void> {
  const [first] = await resetPoints(client, { workflowId, runId });
  if (first !== undefined) await resetRun(client, { workflowId, runId }, first, 'the explorer');
}
