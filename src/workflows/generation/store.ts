import { condition } from '@temporalio/workflow';
import type { GenerationResult } from '../../contract/generation.ts';
import type { StoreReport } from '../../contract/tasks/task-look.ts';
import { pollingInterval } from '../../policy/backoff.ts';
import { type Patience, triedAgain, triedFor } from '../../policy/patience.ts';
import { formatDuration, summary } from './activities.ts';
import { continueIfDue } from './continue.ts';
import { GenerationEnd } from './failure.ts';
import type { Steps } from './generation.ts';
import { type Look, look } from './look.ts';
import type { GenerationRun, HeldTask } from './run.ts';

/** Pauses between tries, in milliseconds. */
const PACE = { first: 500, factor: 2, max: 5 * 60_000 };
/** Before the next look for a place, in milliseconds. */
const WITHOUT_PLACE = 5_000;
/** From this try on people are told that it is held up: files may lag behind their record for a moment. */
const SHOWN_FROM = 2;
/** A file that has ended its worker so often is not tried again before a person says so. */
const MAX_LOST_WORKERS = 2;

type Stored = Extract<StoreReport, { kind: 'stored' }>;

/** How far a run has got with files that cannot be fetched or stored yet. */
export interface Storing {
  settledBy: 'webhook' | 'poll';
  /** What the last try came to. */
  report: Exclude<StoreReport, Stored>;
  tries: number;
  tried: Patience | undefined;
  lostWorkers: number;
  /** Before the next try, in milliseconds. */
  pause: number;
}

/** What a completed generation hands back, but for what it has cost this run. */
export type Outcome = Omit<GenerationResult, 'charged'>;

/**
 * Makes sure that what a completed task made is stored, as a part of its completion: the API's URLs may expire. What
 * cannot be fetched or stored yet is tried again with growing pauses for `policy.outputs.wait`, each time by a fresh
 * record; what is refused by rule or gone ends at once, after one fresh record.
 *
 * @throws GenerationEnd OUTPUT_UNAVAILABLE
 */
export async function storeResult(
  steps: Steps,
  task: HeldTask,
  files: StoreReport,
  settledBy: 'webhook' | 'poll',
): Promise<Outcome> {
  if (files.kind !== 'stored') {
    const storing = { settledBy, report: files, tries: 0, tried: undefined, lostWorkers: 0, pause: 0 };
    return await goOnStoring(steps, task, storing);
  }
  steps.run.settle(task, 'completed', settledBy);
  return outcomeOf(steps, task, files);
}

/**
 * The same from where a run, or the one before it, has got to.
 *
 * @throws GenerationEnd OUTPUT_UNAVAILABLE
 */
export async function goOnStoring(steps: Steps, task: HeldTask, storing: Storing): Promise<Outcome> {
  const report = await untilStored(steps, task, storing);
  steps.run.settle(task, 'completed', storing.settledBy);
  return outcomeOf(steps, task, report);
}

function outcomeOf({ run }: Steps, { taskId }: HeldTask, report: StoreReport): Outcome {
  if (report.kind !== 'stored') {
    const message = `task ${taskId} is done and paid for, but its output cannot be fetched: ${report.reason}`;
    throw new GenerationEnd('OUTPUT_UNAVAILABLE', message);
  }
  const { data, dataUri, outputs } = report;
  return {
    taskId,
    model: run.request.model,
    status: 'COMPLETED',
    data,
    ...(dataUri === undefined ? {} : { dataUri }),
    outputs,
    usage: run.usage(),
    attempts: run.attempts,
  };
}

/** Tries until the files are stored, or cannot be; what is not stored in the end says why. */
async function untilStored(steps: Steps, task: HeldTask, from: Storing): Promise<StoreReport> {
  const { run, inbox, plan } = steps;
  const { wait } = plan.policy.outputs;
  const { settledBy } = from;
  let { report, tried, lostWorkers, pause }: Omit<Storing, 'report'> & { report: StoreReport } = from;
  for (let tries = from.tries + 1; report.kind !== 'stored'; tries += 1) {
    // Before the wait: whoever asks for a try during it waits for that, and is not to wait for the next run's.
    const storing = { settledBy, report, tries: tries - 1, tried, lostWorkers, pause };
    await continueIfDue(steps, { kind: 'store', task, storing });
    // One fresh record decides about what a rule refuses, or has gone.
    if (report.kind !== 'delayed' && tries > 1) return report;
    const isTry: boolean = report.kind !== 'delayed' || report.untried !== true;
    if (isTry || tried === undefined) tried = triedAgain(tried, Date.now(), pause);
    if (isTry && triedFor(tried) >= wait)
      return { ...report, reason: `${report.reason} (tried for ${formatDuration(wait)})` };
    if (report.kind === 'delayed') {
      // The event that names the files may come after the record that names none.
      const wasTold = inbox.artifactsOf(task.taskId) !== undefined;
      const isTold = (): boolean => !wasTold && inbox.artifactsOf(task.taskId) !== undefined;
      // Who finds no place comes again soon: others had theirs meanwhile.
      pause = Math.max(isTry ? pollingInterval(PACE, tries - 1) : WITHOUT_PLACE, report.retryAfter ?? 0);
      pause = Math.min(pause, Math.max(1, wait - triedFor(tried)));
      if (tries >= SHOWN_FROM) run.enter('storing', trouble(report.reason, lostWorkers, pause));
      else showStoring(run, report.reason);
      const options = { summary: summary(`next try to store ${task.taskId}: ${report.reason}`) };
      if (lostWorkers >= MAX_LOST_WORKERS) await condition(() => inbox.lookRequested);
      else await condition(() => inbox.lookRequested || isTold(), pause, options);
      inbox.lookRequested = false;
    }
    const again = await look(steps, task.taskId, 'files');
    inbox.looks += 1;
    if (again.kind === 'lost' && again.atFiles) lostWorkers += 1;
    report = again.kind === 'completed' ? again.files : { kind: 'delayed', reason: whyNot(again), url: null };
  }
  return report satisfies Stored;
}

/** Of itself that takes longer is no trouble: nobody has to search for such a run, but whoever looks sees it. */
function showStoring(run: GenerationRun, reason: string): void {
  run.state = 'storing';
  run.tell(`the files are being stored: ${reason}`);
}

function trouble(reason: string, lostWorkers: number, pause: number): string {
  return lostWorkers >= MAX_LOST_WORKERS
    ? `storing the files has ended ${lostWorkers} workers (${reason}): not tried again before checkNow`
    : `the files are not stored yet: ${reason}; next try in ${formatDuration(pause)}, or by checkNow`;
}

/** Why a fresh record does not help. */
function whyNot(look: Exclude<Look, { kind: 'completed' }>): string {
  if (look.kind === 'unavailable' || look.kind === 'lost') return `cannot read the record: ${look.reason}`;
  if (look.kind === 'not-found') return 'the API does not know the task now';
  return look.kind === 'open' ? 'its record says that it is not done' : `its record says ${look.status} now`;
}
