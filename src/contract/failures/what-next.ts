import type { FailureDetails } from '../generation.ts';
import type { PipelineResult, StepItem } from '../pipeline.ts';
import { leavesTask } from '../purchases/bought-nothing.ts';
import { itemsOf } from '../steps/step-items.ts';
import { CREDITS, FAILURES, meaningOf } from './failures.ts';

/** One thing that a person can do about a failed run. */
export interface Next {
  /** What to do, in sentences of Markdown. */
  what: string;
  /** What is called for it, one after the other; none where the request has to be changed. */
  calls: readonly Call[];
}

/** One call of the client, or command. */
export interface Call {
  /** `retry`: as it was, under its id; `rerun`: with a change. */
  call: 'retry' | 'rerun';
  workflowId: string;
  /** What is set by it. */
  set?: readonly [path: string, value: string | number];
  /** Of a pipeline: the step that has to be changed with it. */
  change?: string;
}

/** A failed run, as far as it is known. */
export interface Failed {
  kind: string;
  workflowId: string;
  type: string;
  /** The failure's first detail. */
  details?: Partial<FailureDetails> & Partial<PipelineResult>;
}

/** Generations of a pipeline that are named. */
const MOST_NAMED = 5;

const ROWS_AGAIN: Next = {
  what: 'Start it again with the same rows: those that have completed are not bought again, failed ones are where it is said so (`retryFailed`, `--retry-failed`).',
  calls: [],
};

type FailedItem = Extract<StepItem, { status: 'FAILED' }>;

/** What can be done about a failed run: one thing after the other. */
export function whatNext({ kind, workflowId, type, details = {} }: Failed): readonly Next[] {
  if (kind === 'batch') return [ROWS_AGAIN];
  const { steps, usage } = details;
  return kind === 'pipeline' || steps !== undefined
    ? ofPipeline(workflowId, type, steps ?? {}, usage?.total ?? 0)
    : [ofGeneration(workflowId, type, details)];
}

function ofGeneration(workflowId: string, type: string, { attempts, usage }: Partial<FailureDetails>): Next {
  const { next, nextWithoutTask, again } = meaningOf(type);
  const isWithoutTask = attempts?.every(({ outcome }) => outcome !== 'completed') ?? false;
  if (nextWithoutTask !== undefined && isWithoutTask) return { what: nextWithoutTask, calls: [] };
  if (again === 'nothing') return { what: next, calls: [] };
  if (again === undefined) return { what: next, calls: [{ call: 'retry', workflowId }] };
  const [path, value] = again;
  const set = [path, value === CREDITS ? enough(usage?.total ?? 0) : value] as const;
  return { what: next, calls: [{ call: 'rerun', workflowId, set }] };
}

/**
 * A task that may still come to a result is taken over by a retry alone: a rerun is another pipeline, which
 * refuses the step. But a retry repeats every other step as it is.
 */
function ofPipeline(
  workflowId: string,
  type: string,
  steps: PipelineResult['steps'],
  spent: number,
): readonly Next[] {
  const change = changeFor(workflowId, type, steps, spent);
  const open = failedItems(steps).filter(
    ({ failure }) => meaningOf(failure.type).mayStillEnd || leavesTask(failure),
  );
  if (open.length === 0 && !meaningOf(type).mayStillEnd)
    return [change ?? { what: FAILURES.PIPELINE_FAILED.next, calls: [{ call: 'retry', workflowId }] }];
  // By itself: what a rerun with the change would refuse, and what a Reset gives up on again by the same policy.
  const lost = open.filter(
    ({ failure }) => change !== undefined || Array.isArray(meaningOf(failure.type).again),
  );
  const takeOver = lost.flatMap(
    (item) => ofGeneration(item.workflowId, item.failure.type, detailsOf(item)).calls,
  );
  const more = takeOver.length - MOST_NAMED;
  const named = {
    what: `Try again what may still come to a result, each by itself (bought anew where nothing is found)${more > 0 ? `, and ${more} more` : ''}.`,
    calls: takeOver.slice(0, MOST_NAMED),
  };
  return [
    ...(takeOver.length === 0 ? [] : [named]),
    change ?? {
      what: 'Try again: completed steps are taken over, and tasks that may still come to a result; what has failed is bought again.',
      calls: [{ call: 'retry', workflowId }],
    },
  ];
}

/** What has to be changed before a failed pipeline can succeed; undefined: nothing. */
function changeFor(
  workflowId: string,
  type: string,
  steps: PipelineResult['steps'],
  spent: number,
): Next | undefined {
  if (failedItems(steps).some(({ failure }) => failure.type === 'BUDGET_EXCEEDED')) {
    const set = ['budget.credits', enough(spent)] as const;
    return { what: FAILURES.BUDGET_EXCEEDED.next, calls: [{ call: 'rerun', workflowId, set }] };
  }
  const change = Object.entries(steps).find(([, step]) =>
    failedItems({ step }).some(({ failure }) => needsChange(failure.type)),
  )?.[0];
  if (change !== undefined) {
    const what = 'Try again with the step changed: completed steps are taken over.';
    return { what, calls: [{ call: 'rerun', workflowId, change }] };
  }
  return needsChange(type) ? { what: meaningOf(type).next, calls: [] } : undefined;
}

function needsChange(type: string): boolean {
  return meaningOf(type).again === 'nothing';
}

function failedItems(steps: PipelineResult['steps']): FailedItem[] {
  return Object.values(steps)
    .flatMap(itemsOf)
    .filter((item) => item.status === 'FAILED');
}

function detailsOf({ failure: { details } }: FailedItem): Partial<FailureDetails> {
  return typeof details === 'object' ? (details ?? {}) : {};
}

/** A budget that leaves room: what was spent, twice. */
function enough(spent: number): number {
  return Math.max(10, Math.ceil(spent * 2));
}
