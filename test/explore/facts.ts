import { setTimeout as delay } from 'node:timers/promises';
import proto from '@temporalio/proto';
import type { Attempt } from '../../src/contract/generation.ts';
import { type BilledTask, billOfRun, mergeBills } from '../../src/temporal/bill/run-bill.ts';
import { decode, decodeFields, type HistoryEvent, readHistory, timeOf } from '../../src/temporal/history.ts';
import { belowQuery, purchaseOf } from './places.ts';
import type { Play } from './play.ts';
import type { Ending, GenerationFacts, PipelineFacts, Purchase, RunAccount } from './rule.ts';

const { HistoryEvent: Encoded } = proto.temporal.api.history.v1;
const TASK_ID = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Visibility lags behind by some tenths of a second. */
const LAGS = 5_000;
/**
 * What has ended may have told something below it to end that a killed worker has had: Temporal keeps that for this worker
 * for ten seconds, on a quick machine (ms).
 */
const OUTLIVES = 15_000;
/** Between two looks at what visibility lists (ms). */
const EVERY = 500;

/** What the rule judges. */
export interface Facts {
  generations: GenerationFacts[];
  pipelines: PipelineFacts[];
  purchases: Purchase[];
  /** What `cost` makes of the histories. */
  bill: BilledTask[];
  /** The tasks that a run which is still there has written down, with a price that it could know. */
  recorded: ReadonlySet<string>;
}

interface Run {
  workflowId: string;
  runId: string;
  type: string;
  isRunning: boolean;
  events: readonly HistoryEvent[];
}

/** Reads everything that a play has left behind: the books, and the history of every run. */
export async function collect(play: Play): Promise<Facts> {
  const runs = await readRuns(play);
  const times = recordedTimes(runs, play);
  const purchases = play.books
    .purchases(times)
    .map((purchase) => ({ ...purchase, workflowId: purchaseOf(purchase.workflowId) }));
  const byId = Map.groupBy(runs, ({ workflowId }) => purchaseOf(workflowId));
  const parents = runs.flatMap(({ type, workflowId }) =>
    type === 'pipeline' ? [purchaseOf(workflowId)] : [],
  );
  const generations: GenerationFacts[] = [];
  const pipelines: PipelineFacts[] = [];
  for (const [workflowId, all] of byId) {
    const latest = all.at(-1);
    if (latest === undefined) continue;
    if (latest.type === 'generation')
      generations.push(factsOf(play, all, { ...latest, workflowId }, parents));
    if (latest.type !== 'generation')
      pipelines.push({
        workflowId,
        ending: pipelineEnding(latest),
        // What a deleted run has said of itself is gone; one that was terminated, and runs again under another id, has
        // said nothing; somebody's own workflow never does.
        ...(latest.type === 'own' || play.done.forgottenAt.length > 0 || all.some(isLeft)
          ? {}
          : {
              charged: all.reduce(
                (sum, { events }) => sum + (accountIn(events.at(-1))?.charged?.total ?? 0),
                0,
              ),
            }),
        // What nobody can tell any more is not bought again, and said so.
        ...(play.done.forgottenAt.length > 0 && failureType(latest) === 'SUBMISSION_UNKNOWN'
          ? { mayFail: true as const }
          : {}),
        // With another input a step is another generation: the first one stays failed.
        ...(play.scene.resolves === undefined ? {} : { mayLack: true }),
      });
  }
  const bills = runs.map((run) => (run.type === 'generation' ? billOfRun(run, run.events) : []));
  // What was only sent to a run may be about another one's task.
  const own = runs.map((run) => ({ ...run, events: run.events.filter((event) => !isSent(event)) }));
  const recorded = new Set(recordedTimes(own, play).keys());
  for (const { taskId, isPriceless } of purchases)
    if (isPriceless === true || play.done.forgottenTasks.has(taskId)) recorded.delete(taskId);
  return {
    generations: [...generations, ...deleted(play, purchases, byId)],
    pipelines,
    purchases,
    bill: mergeBills(bills),
    recorded,
  };
}

/** Whether a run was the last one of its id, and was terminated. */
function isLeft(run: Run, _: number, all: readonly Run[]): boolean {
  const last = all.findLast(({ workflowId }) => workflowId === run.workflowId);
  return run === last && run !== all.at(-1) && pipelineEnding(run) === 'gone';
}

/** Generations that are deleted, and that nobody had to start again: what they had come to is their parent's to know. */
function deleted(
  { done }: Play,
  purchases: readonly Purchase[],
  known: ReadonlyMap<string, unknown>,
): GenerationFacts[] {
  if (done.forgottenAt.length === 0) return [];
  const gone = purchases.filter(({ workflowId }) => !known.has(workflowId));
  return [...Map.groupBy(gone, ({ workflowId }) => workflowId)].flatMap(([workflowId, bought]) => {
    const last = bought.findLast(({ status }) => status === 'COMPLETED') ?? bought.at(-1);
    if (last === undefined) return [];
    const ending: Ending =
      last.status === 'COMPLETED'
        ? { kind: 'completed', taskId: last.taskId, outputs: 1 }
        : { kind: 'failed', type: last.code ?? last.status, unknownsAtEnd: 0 };
    return [{ workflowId, group: workflowId, runs: 1, ending }];
  });
}

function factsOf(play: Play, runs: readonly Run[], latest: Run, parents: readonly string[]): GenerationFacts {
  const { workflowId } = latest;
  const { scene, done, starts } = play;
  const isAlone = starts.length === 1 || !starts.some((start) => start.workflowId === workflowId);
  const pipeline = parents.find((parent) => workflowId.startsWith(`${parent}/`));
  const endedAt = latest.isRunning ? undefined : timeOf(latest.events.at(-1) ?? {});
  return {
    workflowId,
    group: isAlone ? workflowId : play.place,
    ...(scene.refused === undefined ? {} : { refused: scene.refused }),
    ...(pipeline === undefined ? {} : { pipeline }),
    runs: runs.length,
    ending: endingOf(latest),
    ...(endedAt === undefined ? {} : { endedAt }),
    wantedAt: timesOf(done.wanted, workflowId),
    askedAt: timesOf(done.asked, workflowId),
    mayFailWith: [...(scene.mayFailWith ?? []), ...done.mayFailWith],
    // What a deleted run has said of itself is gone.
    ...(done.forgottenAt.length > 0 ? {} : { accounts: runs.flatMap(accountOf) }),
  };
}

function timesOf(happened: Play['done']['asked'], workflowId: string): number[] {
  return happened.flatMap((one) => (one.workflowId === workflowId ? [one.at] : []));
}

/** All runs, oldest first. */
async function readRuns(play: Play): Promise<Run[]> {
  const { client } = play.stage;
  const latest = await Promise.all(
    play.starts.map(({ workflowId }) => client.workflow.getHandle(workflowId).describe()),
  );
  const hasEnded = latest.every(({ status }) => status.name !== 'RUNNING');
  const until = Date.now() + LAGS;
  const untilRest = Date.now() + OUTLIVES * play.stage.slowness;
  for (;;) {
    const found: { workflowId: string; runId: string; type: string; startTime: Date; isRunning: boolean }[] =
      [];
    for (const { workflowId, type } of play.starts) {
      const own = `WorkflowId = '${workflowId}'`;
      const query = type === 'generation' ? own : `(${own} OR ${belowQuery(workflowId)})`;
      for await (const run of client.workflow.list({ query }))
        found.push({ ...run, isRunning: run.status.name === 'RUNNING' });
    }
    const isWhole = latest.every((run) =>
      found.some(
        ({ runId, isRunning }) => runId === run.runId && isRunning === (run.status.name === 'RUNNING'),
      ),
    );
    const isOutlived = hasEnded && found.some(({ isRunning }) => isRunning);
    if ((!isWhole && Date.now() < until) || (isOutlived && Date.now() < untilRest)) {
      await delay(EVERY);
      continue;
    }
    found.sort((a, b) => a.startTime.getTime() - b.startTime.getTime());
    const runs = await Promise.all(
      found.map(async (run) => ({ ...run, events: await readHistory(client, run.workflowId, run.runId) })),
    );
    // One may be deleted, and visibility does not know it yet.
    return runs.flatMap(({ events, ...run }) => (events === undefined ? [] : [{ ...run, events }]));
  }
}

/** When each task's id was first written into any history. */
function recordedTimes(runs: readonly Run[], play: Play): Map<string, number> {
  const bought = new Set(play.books.charges().map(({ taskId }) => taskId));
  const times = new Map<string, number>();
  for (const event of runs.flatMap(({ events }) => events).filter((one) => !isOfALook(one)))
    for (const taskId of taskIdsIn(event)) {
      const at = Math.min(times.get(taskId) ?? Infinity, timeOf(event));
      if (bought.has(taskId)) times.set(taskId, at);
    }
  return times;
}

/**
 * Whether an event tells that a task is looked at which may be the run's: whose it is only the entity gets to know, and
 * that one may be ended over it.
 */
function isOfALook({ activityTaskCompletedEventAttributes: completed }: HistoryEvent): boolean {
  const [told] = decode(completed?.result) as [{ kind?: unknown } | null | undefined];
  return told?.kind === 'looking';
}

const isSent = ({ workflowExecutionSignaledEventAttributes: signal }: HistoryEvent): boolean =>
  signal != null;

/** What may be the ids of tasks in an event. */
export function taskIdsIn(event: HistoryEvent): string[] {
  // Payloads are JSON, and ids are plain: they stand in the encoded event as they are.
  return Buffer.from(Encoded.encode(event).finish()).toString('latin1').match(TASK_ID) ?? [];
}

function endingOf({ isRunning, events }: Run): Ending {
  const last = events.at(-1);
  if (isRunning || last === undefined) return { kind: 'stuck', waiting: false };
  const {
    workflowExecutionCompletedEventAttributes: completed,
    workflowExecutionFailedEventAttributes: failed,
  } = last;
  if (completed) {
    const [result] = decode(completed.result) as [{ taskId: string; outputs: unknown[] }]; // a GenerationResult
    return { kind: 'completed', taskId: result.taskId, outputs: result.outputs.length };
  }
  const type = failed?.failure?.applicationFailureInfo?.type;
  if (type == null) return { kind: 'gone', status: `${last.eventType}` };
  const attempts = accountIn(last)?.attempts ?? [];
  const known = attempts.findLastIndex(({ outcome }) => outcome !== 'unknown');
  const unknownsAtEnd = attempts.length - 1 - known;
  return { kind: 'failed', type, message: failed?.failure?.message ?? '', unknownsAtEnd };
}

function failureType({ events }: Run): string | undefined {
  const { failure } = events.at(-1)?.workflowExecutionFailedEventAttributes ?? {};
  return failure?.applicationFailureInfo?.type ?? undefined;
}

function pipelineEnding({ isRunning, events }: Run): PipelineFacts['ending'] {
  if (isRunning) return 'stuck';
  const last = events.at(-1);
  if (last?.workflowExecutionCompletedEventAttributes) return 'completed';
  return last?.workflowExecutionFailedEventAttributes ? 'failed' : 'gone';
}

interface Told {
  taskId?: string | null;
  attempts?: Attempt[];
  usage?: { total: number };
  charged?: { total: number };
}

/** What a run says of itself in its last event. */
function accountIn(last: HistoryEvent | undefined): Told | undefined {
  const { result } = last?.workflowExecutionCompletedEventAttributes ?? {};
  const { failure } = last?.workflowExecutionFailedEventAttributes ?? {};
  return decode(result ?? failure?.applicationFailureInfo?.details)[0] as Told | undefined;
}

/** A run that was cancelled says it in its memo; one that was terminated says nothing. */
function accountOf({ runId, events }: Run): RunAccount[] {
  const last = events.at(-1);
  const isCancelled = last?.workflowExecutionCanceledEventAttributes != null;
  const memos = events.map(
    (event) =>
      decodeFields(event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields)['cancelled'],
  );
  const told = isCancelled
    ? (memos.findLast((memo) => memo !== undefined) as Told | undefined)
    : accountIn(last);
  if (told?.attempts === undefined) return [];
  const { attempts, usage = { total: 0 }, charged = { total: 0 }, taskId } = told;
  const settled = attempts.reduce((sum, attempt) => sum + attempt.usage.total, 0);
  // The task that a cancelled run leaves behind: neither ended nor settled.
  const open: Attempt[] =
    isCancelled && typeof taskId === 'string' && !attempts.some((attempt) => attempt.taskId === taskId)
      ? [
          {
            taskId,
            outcome: 'overdue',
            code: null,
            usage: { total: usage.total - settled, subscription: 0, permanent: 0 },
            settledBy: null,
            adopted: false,
          },
        ]
      : [];
  return [{ runId, attempts: [...attempts, ...open], usage: usage.total, charged: charged.total }];
}
