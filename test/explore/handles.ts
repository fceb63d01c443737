import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { WorkflowNotFoundError } from '@temporalio/client';
import { accountOfBudget, accountOfCap } from '../../src/contract/entities/account.ts';
import { type EntityKind, entityId } from '../../src/contract/workflow-ids.ts';
import { describeRun } from '../../src/temporal/describe-run.ts';
import { isNotFound } from '../../src/temporal/grpc-status.ts';
import { readHistory } from '../../src/temporal/history.ts';
import { NothingThere } from './act.ts';
import { taskIdsIn } from './facts.ts';
import { belowQuery } from './places.ts';
import type { Play } from './play.ts';
import { CAP } from './scenes.ts';
import type { Stage } from './stage.ts';

const ENTITIES: readonly EntityKind[] = ['unclaimed-tasks', 'credit-gate', 'submit-pace'];
/** By when visibility lists what has just happened (ms). */
const LISTED = 3_000;
/** How long a workflow may take to come to its next state, on a quick machine (ms). */
const SOON = 25_000;

/** The latest run of what acts are about. */
export async function latestRun({
  handle,
  main,
}: Play): Promise<{ workflowId: string; runId: string; isRunning: boolean }> {
  const { runId, status } = await handle.describe();
  return { workflowId: main.workflowId, runId, isRunning: status.name === 'RUNNING' };
}

/** Ends the latest run: where that one has ended by itself, as it does when it goes on as another one, that one. */
export async function terminate(play: Play): Promise<void> {
  for (;;) {
    const { workflowId, runId, isRunning } = await latestRun(play);
    if (!isRunning) return;
    const handle = play.stage.client.workflow.getHandle(workflowId, runId);
    await handle.terminate('the explorer').catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

/** Waits, within bounds, until something holds. */
export async function soon({ stage }: Play, check: () => Promise<boolean>, within = SOON): Promise<boolean> {
  const until = Date.now() + within * stage.slowness;
  while (Date.now() < until) {
    if (await check()) return true;
    await delay(50);
  }
  return false;
}

/** As retention does: nothing tells of the run any more. */
export async function deleteRun(play: Play, { workflowId, runId }: { workflowId: string; runId: string }) {
  const { client } = play.stage;
  const events = (await readHistory(client, workflowId, runId)) ?? [];
  for (const taskId of events.flatMap(taskIdsIn)) play.done.forgottenTasks.add(taskId);
  const { namespace } = client.options;
  // A deletion that the server drops, as one that meets another step of the run, is asked for again.
  const isGone = await soon(play, async () => {
    await client.workflowService
      .deleteWorkflowExecution({ namespace, workflowExecution: { workflowId, runId } })
      .catch(() => undefined);
    return (await describeRun(client, workflowId, runId)) === undefined;
  });
  if (!isGone) throw new Error(`${workflowId} ${runId} is still there`);
  play.done.forgottenAt.push(Date.now());
}

/** The runs of the steps and children of what acts are about. */
export async function runsBelow({ stage, main }: Play) {
  const query = belowQuery(main.workflowId);
  const found: { workflowId: string; runId: string; isRunning: boolean }[] = [];
  for await (const { workflowId, runId, status } of stage.client.workflow.list({ query }))
    found.push({ workflowId, runId, isRunning: status.name === 'RUNNING' });
  return found;
}

/** The steps and children that have ended. @throws NothingThere */
export async function endedChildren(play: Play): Promise<Awaited<ReturnType<typeof runsBelow>>> {
  let ended: Awaited<ReturnType<typeof runsBelow>> = [];
  const isListed = async (): Promise<boolean> => {
    // A batch's pages of rows are what it reads, and no purchase.
    ended = (await runsBelow(play)).filter(
      ({ isRunning, workflowId }) => !isRunning && !workflowId.startsWith(`${play.main.workflowId}/rows/`),
    );
    return ended.length > 0;
  };
  await soon(play, isListed, LISTED);
  if (ended.length === 0) throw new NothingThere('no child has ended');
  return ended;
}

/** The runs before the latest one. @throws NothingThere */
export async function earlierRuns(play: Play): Promise<{ workflowId: string; runId: string }[]> {
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

/** The entities of the place that run, but for accounts. */
export async function entitiesOf({ stage, place }: Play) {
  return await running(
    stage,
    ENTITIES.map((kind) => ({ kind, scope: place })),
  );
}

/** The accounts of the cap of the place, and of the budget of what acts are about, that run. */
export async function accountsOf({ stage, place, main }: Play) {
  const accounts = [accountOfCap({ ...CAP, name: place }), accountOfBudget(main.workflowId, String)];
  return await running(
    stage,
    accounts.map(({ scope }) => ({ kind: 'account' as const, scope })),
  );
}

async function running(
  { client, taskQueue }: Stage,
  entities: readonly { kind: EntityKind; scope: string }[],
) {
  const found = await Promise.all(
    entities.map(async ({ kind, scope }) => {
      const id = entityId(kind, scope, taskQueue);
      try {
        const { status, runId } = await client.workflow.getHandle(id).describe();
        return status.name === 'RUNNING' ? [{ kind, id, runId }] : [];
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return [];
        throw error;
      }
    }),
  );
  if (found.flat().length === 0) throw new NothingThere('no entity runs');
  return found.flat();
}

export async function pendingSubmit({ stage, handle }: Play) {
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
export async function commandLine({ stage }: Play, ...words: string[]): Promise<void> {
  const { address } = stage.client.connection.options;
  const env = { ...process.env, TEMPORAL_ADDRESS: address, DARKROOM_TASK_QUEUE: stage.taskQueue };
  await run(process.execPath, [STARTER, ...words], { env });
}
