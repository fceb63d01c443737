import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import proto from '@temporalio/proto';
import { resetPoints, resetRun } from '../../src/temporal/reset-run.ts';
import { NothingThere } from './act.ts';
import { latestRun, soon } from './handles.ts';
import type { Play } from './play.ts';

const {
  RESET_REAPPLY_EXCLUDE_TYPE_SIGNAL: SIGNALS,
  RESET_REAPPLY_EXCLUDE_TYPE_UPDATE: UPDATES,
  RESET_REAPPLY_EXCLUDE_TYPE_CANCEL_REQUEST: CANCELS,
} = proto.temporal.api.enums.v1.ResetReapplyExcludeType;

/** @param point from 1; the last one where there are fewer */
export async function reset(play: Play, point: number, run?: string): Promise<string> {
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

/** Resets, by the point that they go back to. */
export const RESETS: readonly {
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
