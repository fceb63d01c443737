import { type Client, WorkflowFailedError, WorkflowNotFoundError } from '@temporalio/client';
import { ApplicationFailure } from '@temporalio/common';
import proto from '@temporalio/proto';
import type { FailureDetails, GenerationResult } from '../../src/contract/generation.ts';
import { readHistory } from '../../src/temporal/history.ts';
import {
  type Ending,
  type GenerationFacts,
  isUnknowable,
  type PipelineFacts,
  type Purchase,
} from '../explore/rule.ts';
import { isOf } from './cap-books.ts';
import type { DisturbanceLog } from './disturbance-log.ts';
import type { EmulatorControl, LedgerCharge } from './emulator-control.ts';
import { isForeign } from './foreign-tasks.ts';
import type { PlannedGeneration, StormPlan } from './plan.ts';
import { refusedAt, submitsIn, untrueIn } from './refusals.ts';

const { History } = proto.temporal.api.history.v1;
const AT_ONCE = 8;

export interface Collected {
  generations: GenerationFacts[];
  pipelines: PipelineFacts[];
  purchases: Purchase[];
  /** What the API has charged for the storm's own tasks. */
  charges: LedgerCharge[];
  /** The tasks that a run has written down, with a price that it could know. */
  recorded: ReadonlySet<string>;
  /** By workflow id. */
  results: Map<string, GenerationResult>;
  faults: Record<string, number>;
  gets: number;
}

interface Sources {
  client: Client;
  emulator: EmulatorControl;
  taskQueue: string;
  told: ReadonlyMap<string, number>;
  disturbances: DisturbanceLog;
}

/** Reads the emulator's ledger and every run's history, after the storm. */
export async function collect(plan: StormPlan, sources: Sources): Promise<Collected> {
  const { client, emulator } = sources;
  const runs = await listRuns(client, sources.taskQueue);
  const [ledger, tasks, counters] = await Promise.all([
    emulator.charges(),
    emulator.tasks(),
    emulator.counters(),
  ]);
  const charges = ledger.filter(({ workflow }) => !isForeign(workflow));
  const taskById = new Map(tasks.map((task) => [task.id, task]));
  const recorded = await findRecorded(client, runs, new Set(charges.map(({ taskId }) => taskId)));
  const purchases = charges.map((charge): Purchase => {
    const { taskId, at, answered } = charge;
    const workflowId = charge.workflow ?? '';
    const toldAt = sources.told.get(taskId);
    const task = taskById.get(taskId);
    if (task === undefined) throw new Error(`the emulator has no task ${taskId}`);
    const knowledge = {
      answered,
      told: toldAt !== undefined && !sources.disturbances.mayHaveForgotten(toldAt),
      recorded: recorded.has(taskId),
      disturbed: sources.disturbances.mayHaveHit(workflowId, Date.parse(at)),
    };
    return {
      taskId,
      workflowId,
      at: Date.parse(at),
      credits: charge.refund === null ? charge.credits : 0,
      status: task.status,
      code: task.code ?? null,
      endedAt: task.completedAt === null ? null : Date.parse(task.completedAt),
      fate: task.fate.kind === 'vanish' ? 'vanishes' : task.fate.kind === 'hang' ? 'hangs' : 'other',
      knownAt: isUnknowable(knowledge) ? null : Date.parse(at),
    };
  });
  const results = new Map<string, GenerationResult>();
  const generations = await eachOf(plan.generations, async (planned): Promise<GenerationFacts> => {
    const known = runs.get(planned.workflowId) ?? [];
    const ending = await endingOf(client, planned, results);
    const refusal = { budgets: plan.budgets, charges, runs };
    const judged = await judgeRefusal(client, planned.workflowId, refusal, ending);
    return { ...planned, runs: known.length, ...judged };
  });
  const parents = new Set([
    ...plan.starts.flatMap(({ type, workflowId }) => (type === 'generation' ? [] : workflowId)),
    ...plan.generations.flatMap(({ pipeline }) => pipeline ?? []),
  ]);
  const pipelines = await eachOf([...parents], async (workflowId): Promise<PipelineFacts | undefined> => {
    try {
      const { status } = await client.workflow.getHandle(workflowId).describe();
      return { workflowId, ending: PIPELINE_ENDINGS[status.name] ?? 'gone' };
    } catch (error) {
      // A row that its batch's budget did not admit.
      if (error instanceof WorkflowNotFoundError) return undefined;
      throw error;
    }
  });
  // Of what vanishes before its record is read, nobody can know the price.
  const priceless = charges.filter(
    ({ taskId, answered }) => !answered && taskById.get(taskId)?.fate.kind === 'vanish',
  );
  for (const { taskId } of priceless) recorded.delete(taskId);
  return {
    generations,
    pipelines: pipelines.filter((one) => one !== undefined),
    purchases,
    charges,
    recorded,
    results,
    faults: counters.faults,
    gets: counters.gets.total,
  };
}

/** A budget may have refused a generation; a refusal of which something is not true says that as well. */
async function judgeRefusal(
  client: Client,
  workflowId: string,
  {
    budgets,
    charges,
    runs,
  }: Pick<StormPlan, 'budgets'> & {
    charges: readonly LedgerCharge[];
    runs: ReadonlyMap<string, readonly string[]>;
  },
  ending: Ending,
): Promise<Pick<GenerationFacts, 'ending' | 'mayFailWith'>> {
  if (ending.kind !== 'failed' || ending.type !== BUDGET_EXCEEDED) return { ending };
  const { message = '' } = ending;
  const owners = [...budgets.keys()].filter((id) => isOf(id, workflowId));
  const payers = [...runs].filter(([id]) => owners.some((owner) => isOf(owner, id)));
  const histories = await Promise.all(
    payers.flatMap(([id, runIds]) =>
      runIds.map(async (runId) => ({ id, events: (await readHistory(client, id, runId)) ?? [] })),
    ),
  );
  const [at = Infinity] = histories.flatMap(({ id, events }) =>
    id === workflowId ? (refusedAt(message, events) ?? []) : [],
  );
  const submits = histories.map(({ id, events }) => submitsIn(id, events, at));
  const untrue = untrueIn(message, workflowId, { at, budgets, charges, submits });
  if (untrue === undefined) return { ending, mayFailWith: [BUDGET_EXCEEDED] };
  return { ending: { ...ending, message: `${message}: ${untrue}` } };
}

export const BUDGET_EXCEEDED = 'BUDGET_EXCEEDED';

const PIPELINE_ENDINGS: Readonly<Record<string, PipelineFacts['ending']>> = {
  COMPLETED: 'completed',
  FAILED: 'failed',
  RUNNING: 'stuck',
};

async function endingOf(
  client: Client,
  { workflowId }: PlannedGeneration,
  results: Map<string, GenerationResult>,
): Promise<Ending> {
  try {
    const { status, runId, searchAttributes } = await client.workflow.getHandle(workflowId).describe();
    if (status.name === 'RUNNING') {
      return { kind: 'stuck', waiting: searchAttributes['DarkroomState']?.[0] === 'needs a decision' };
    }
    const result: unknown = await client.workflow
      .getHandle(workflowId, runId)
      .result()
      .catch((error: unknown) => error);
    if (!(result instanceof Error)) {
      const completed = result as GenerationResult; // not a failure, so the workflow's own result
      results.set(workflowId, completed);
      return { kind: 'completed', taskId: completed.taskId, outputs: completed.outputs.length };
    }
    const cause = result instanceof WorkflowFailedError ? result.cause : undefined;
    if (status.name !== 'FAILED' || !(cause instanceof ApplicationFailure)) {
      return { kind: 'gone', status: `${status.name}: ${cause?.message ?? result.message}` };
    }
    const details = cause.details?.[0] as FailureDetails | undefined; // every failure of a generation has them
    const attempts = details?.attempts ?? [];
    const known = attempts.findLastIndex(({ outcome }) => outcome !== 'unknown');
    const { message } = cause;
    return { kind: 'failed', type: cause.type ?? '', message, unknownsAtEnd: attempts.length - 1 - known };
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return { kind: 'never started' };
    throw error;
  }
}

/** Run ids by workflow id. */
async function listRuns(client: Client, taskQueue: string): Promise<Map<string, string[]>> {
  const runs = new Map<string, string[]>();
  const query = `TaskQueue = '${taskQueue}' AND WorkflowType IN ('generation', 'pipeline')`;
  for await (const { workflowId, runId } of client.workflow.list({ query })) {
    runs.set(workflowId, [...(runs.get(workflowId) ?? []), runId]);
  }
  return runs;
}

/** Which tasks any run of a generation has written into its history, in whatever way. */
async function findRecorded(
  client: Client,
  runs: ReadonlyMap<string, readonly string[]>,
  taskIds: ReadonlySet<string>,
): Promise<Set<string>> {
  const recorded = new Set<string>();
  const all = [...runs].flatMap(([workflowId, ids]) => ids.map((runId) => ({ workflowId, runId })));
  await eachOf(all, async ({ workflowId, runId }) => {
    const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
    // Payloads are JSON, and ids are plain: they stand in the encoded history as they are.
    const text = Buffer.from(History.encode(history).finish()).toString('latin1');
    for (const [taskId] of text.matchAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g)) {
      if (taskIds.has(taskId)) recorded.add(taskId);
    }
  });
  return recorded;
}

async function eachOf<T, R>(items: readonly T[], look: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const walk = async (): Promise<void> => {
    for (const [index, item] of queue) results[index] = await look(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, walk));
  return results;
}
