import { Context } from '@temporalio/activity';
import { NO_USAGE } from '../../api/records/usage.ts';
import type { FailureDetails, GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import type { ParentRun } from '../../contract/purchases/parent-run.ts';
import type { ToldTasks } from '../../contract/purchases/told-tasks.ts';
import { decode, decodeFields, readStart } from '../../temporal/history.ts';
import { likeness, originsOf } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';
import type { ChildRecord } from '../parents/child-records.ts';
import type { Likeness } from '../parents/earlier-children.ts';
import { toldUntil } from '../parents/told-until.ts';
import { vainEnds } from './carried.ts';
import type { Purchases } from './purchases.ts';

/** An earlier run of a generation that the server has deleted, as far as its parent tells of it. */
export type DeletedRun =
  | { kind: 'completed'; runId: string | undefined; result: GenerationResult }
  /** `isTold`: it has told itself what it was charged; else its pipeline tells it, or the run that goes on. */
  | { kind: 'failed'; runId: string | undefined; purchases: Purchases; isTold: boolean }
  /** `why`: of which run nobody can tell what it has bought. */
  | { kind: 'unknown'; runId: string | undefined; why: string };

/**
 * What the histories of a generation's parent tell of the latest run of the same purchase, where the server has none.
 *
 * @param isNamed the parent has named it
 * @returns undefined where there was none
 */
export async function deletedRun(
  { temporal, children }: Pick<ActivityDeps, 'temporal' | 'children'>,
  parent: ParentRun,
  isNamed: boolean,
): Promise<DeletedRun | undefined> {
  const { workflowId, runId } = Context.current().info.workflowExecution ?? { workflowId: '', runId: '' };
  let starting: ReturnType<typeof readStart> | undefined;
  const start = (): ReturnType<typeof readStart> => (starting ??= readStart(temporal, workflowId, runId));
  const alike = async ({ request, origins }: ChildRecord): Promise<Likeness> => {
    if (request === undefined) return 'in part';
    const own = await start();
    const [wanted] = decode(own?.input) as [GenerationRequest];
    const asked = { request: request as GenerationRequest, origins }; // a generation's argument
    const memo = decodeFields(own?.memo?.fields);
    const found = likeness(asked, { workspace: undefined, ...wanted, origins: originsOf(memo) });
    return found === 'same' ? 'same' : 'different';
  };
  const told = await children.told(parent, { workflowId, runId, isNamed, likeness: alike });
  if (told === undefined) return undefined;
  if ('missing' in told) {
    const why = `run ${told.missing} of ${parent.workflowId} is deleted, and this is run again: nobody can tell whether it was bought then`;
    return { kind: 'unknown', runId: undefined, why };
  }
  const { runId: earlier, end, startedAt } = told;
  const unknown: DeletedRun = {
    kind: 'unknown',
    runId: earlier,
    why: `run ${earlier ?? ''}, which this one runs again, is deleted: nobody can tell what it has bought`,
  };
  if (told.request === undefined || end === undefined) return unknown;
  if ('result' in end) {
    const result = end.result as GenerationResult; // of a generation
    const { step } = decodeFields((await start())?.memo?.fields);
    // An earlier run of the pipeline may have told what it cost.
    const isCharged =
      typeof step === 'string' && startedAt > ((await toldUntil(temporal, parent)) ?? -Infinity);
    return {
      kind: 'completed',
      runId: earlier,
      result: isCharged ? result : { ...result, charged: NO_USAGE },
    };
  }
  const { details } = end.failure;
  const purchases = purchasesOf(details, startedAt);
  const isTold = (details as Partial<FailureDetails> | null | undefined)?.charged !== undefined;
  return purchases === undefined ? unknown : { kind: 'failed', runId: earlier, purchases, isTold };
}

/** By what a failure tells of the attempts; undefined where it tells nothing. */
function purchasesOf(details: unknown, startedAt: number): Purchases | undefined {
  const { attempts, taskId } = (details ?? {}) as Partial<FailureDetails> & Pick<ToldTasks, 'taskId'>;
  if (attempts === undefined) return undefined;
  const held = taskId === undefined || taskId === null ? [] : [taskId];
  const submit = { since: startedAt, scheduledAt: startedAt, activityId: '', seed: 'any' as const };
  const isUnknown = held.length === 0 && attempts.at(-1)?.outcome === 'unknown';
  return {
    taskIds: [...new Set([...attempts.flatMap((attempt) => attempt.taskId ?? []), ...held])],
    usages: new Map(attempts.flatMap(({ taskId: id, usage }) => (id === null ? [] : [[id, usage] as const]))),
    ends: new Map(vainEnds(attempts)),
    bought: new Set(),
    unknownSubmits: isUnknown ? [{ ...submit, recorded: true, inFlight: false }] : [],
    endedSubmits: [],
  };
}
