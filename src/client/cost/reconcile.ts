import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { Caller, MediaApi } from '../../api/client/media-api.ts';
import { GET_TIMEOUT } from '../../contract/limits.ts';
import { unclaimedQuery } from '../../contract/messages.ts';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { entityId } from '../../contract/workflow-ids.ts';
import type { Bill } from '../../temporal/bill/read-bill.ts';
import { type BilledTask, withRecord } from '../../temporal/bill/run-bill.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';
import { listRuns } from '../../temporal/list-runs.ts';

const AT_ONCE = 8;
/** Task ids that one query asks for, and their holders at most. */
const IDS_AT_ONCE = 100;
const MOST_HOLDERS = 1_000;

/** A task with what the API says that it has cost, or how much more than was told. */
export interface ChargedTask {
  taskId: string;
  credits: number;
}

/** Where the API's account differs from the bill. */
export interface Reconciliation {
  /** The bill, with what the API says of tasks whose end no run has told. */
  tasks: BilledTask[];
  /** Tasks of ours that have cost other than the bill says: the difference. */
  unexplained: ChargedTask[];
  /** Tasks that no generation holds, of the last hour. */
  foreign: ChargedTask[];
  /** Tasks whose record could not be read. */
  unread: number;
}

/**
 * @param of `earlier`: what was bought before, which is nobody else's either
 * @param callers who asks, by workspace; tasks of others are not looked at
 */
export async function reconcile(
  { client, api, taskQueue }: { client: Client; api: MediaApi; taskQueue: string },
  { tasks: bill, earlier }: Pick<Bill, 'tasks' | 'earlier'>,
  callers: ReadonlyMap<string, Caller>,
): Promise<Reconciliation> {
  const next = pLimit(AT_ONCE);
  let unread = 0;
  const chargedFor = async (taskId: string, workspace: string): Promise<number | undefined> => {
    const caller = callers.get(workspace);
    const answer = caller === undefined ? undefined : await api.getGeneration(taskId, caller, GET_TIMEOUT);
    if (answer?.kind === 'record') return answer.record.usage.total;
    unread += 1;
    return undefined;
  };
  const own = await Promise.all(
    bill.map((task) =>
      next(async (): Promise<{ task: BilledTask; more: number }> => {
        const charged = await chargedFor(task.taskId, task.workspace);
        if (charged === undefined) return { task, more: 0 };
        const told = withRecord(task, charged);
        return { task: told, more: charged - (told.credits - told.refunded) };
      }),
    ),
  );
  const known = new Set([...bill, ...earlier].map(({ taskId }) => taskId));
  const unclaimed = await Promise.all(
    [...callers.keys()].map(async (workspace) => {
      const ids = await unclaimedTasks(client, workspace, taskQueue);
      return await Promise.all(
        ids
          .filter((taskId) => !known.has(taskId))
          .map((taskId) =>
            next(async () => {
              const credits = await chargedFor(taskId, workspace);
              return credits === undefined || credits === 0 ? [] : [{ taskId, credits }];
            }),
          ),
      );
    }),
  );
  return {
    tasks: own.map(({ task }) => task),
    unexplained: own.flatMap(({ task: { taskId }, more }) => (more === 0 ? [] : [{ taskId, credits: more }])),
    foreign: unclaimed.flat(2),
    unread,
  };
}

/** The tasks that `unclaimed-tasks/<workspace>` knows of and no workflow holds. */
async function unclaimedTasks(client: Client, workspace: string, taskQueue: string): Promise<string[]> {
  const unclaimed: string[] = [];
  try {
    const entity = client.workflow.getHandle(entityId('unclaimed-tasks', workspace, taskQueue));
    const ids = await entity.query(unclaimedQuery);
    for (let from = 0; from < ids.length; from += IDS_AT_ONCE) {
      const some = ids.slice(from, from + IDS_AT_ONCE);
      const holders = await listRuns(client, [[DarkroomTaskId.name, 'IN', ...some]], MOST_HOLDERS);
      const held = new Set(
        holders.flatMap(({ searchAttributes }): unknown => searchAttributes[DarkroomTaskId.name]),
      );
      unclaimed.push(...some.filter((taskId) => !held.has(taskId)));
    }
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return unclaimed;
}
