import { withoutPrefix } from '../../api/codes.ts';
import type { Attempt } from '../../contract/generation.ts';
import { failedItems, itemsThatMayStillEnd, mayStillEnd } from '../../contract/may-still-end.ts';
import type { PipelineResult, StepFailure } from '../../contract/pipeline.ts';
import { itemsOf } from '../../contract/step-items.ts';
import { ownCommand } from '../../package/own-command.ts';
import { detailsOf, type RunFailure } from './run-failure.ts';

/** Generations of a pipeline that are named. */
const MOST_NAMED = 5;

type Thing = readonly [why: string, ...commands: string[]];

/** What can be done about a failure: why, and the command for it, where there is one. */
type Advice = (workflowId: string, spent: number, attempts?: readonly Attempt[]) => Thing;

const again =
  (why: string): Advice =>
  (workflowId) => [why, ownCommand('rerun', workflowId)];
const ADOPTS = again('What was bought is not bought again:');
const BUYS = again('To try once more, which buys a new task:');
const ANOTHER: Advice = () => ['The same request would fail again: change it, and give it another --id.'];
const KEY = again("Check the worker's DARKROOM_API_KEY and DARKROOM_CONFIG, then:");

/** By the failure's type; codes of the API without their prefix. */
const ADVICE: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    INVALID_REQUEST: ANOTHER,
    INVALID_INPUT: ANOTHER,
    CONTENT_REJECTED: ANOTHER,
    TEMPLATE_NOT_FOUND: ANOTHER,
    UNAUTHORIZED: KEY,
    FORBIDDEN: KEY,
    WORKSPACE_FORBIDDEN: KEY,
    INSUFFICIENT_CREDITS: again(`Top up (${ownCommand('credits')} tells the balance), then:`),
    BUDGET_EXCEEDED: (workflowId, spent) => [
      'To go on with more budget:',
      ownCommand('rerun', workflowId, '--set', `policy.budget.credits=${more(spent)}`),
    ],
    TASK_OVERDUE: again('The task may still finish. To wait for the same one, or take its result:'),
    SUBMISSION_UNKNOWN: (workflowId) => [
      'To look for the lost task once more, and to buy it where it is not found:',
      ownCommand('rerun', workflowId, '--set', 'policy.reconcile.otherwise=resubmit'),
    ],
    OUTPUT_UNAVAILABLE: (workflowId, _, attempts) =>
      attempts !== undefined && !attempts.some(({ outcome }) => outcome === 'completed')
        ? ['Its input can no longer be reached. Once it can, reset its pipeline.']
        : ['To fetch the files of the same task again:', ownCommand('rerun', workflowId)],
    CANCELLED: ADOPTS,
    TERMINATED: ADOPTS,
    TIMED_OUT: ADOPTS,
  }),
);

/**
 * What to do next about a run that failed: a line or two for each thing.
 *
 * @param type the workflow's
 */
export function nextStep(workflowId: string, failure: RunFailure, type = 'generation'): string {
  const { steps, usage, attempts } = detailsOf(failure);
  const spent = usage?.total ?? 0;
  const things =
    type === 'pipeline' || steps !== undefined
      ? forPipeline(workflowId, failure.type, steps ?? {}, spent)
      : [(ADVICE.get(withoutPrefix(failure.type)) ?? BUYS)(workflowId, spent, attempts)];
  return things
    .flatMap(([why, ...commands], index) => [
      `${index === 0 ? 'Next' : 'Then'}: ${why}`,
      ...commands.map((command) => `  ${command}`),
    ])
    .join('\n');
}

function forPipeline(
  workflowId: string,
  type: string,
  steps: PipelineResult['steps'],
  spent: number,
): readonly Thing[] {
  const change = changeFor(workflowId, type, steps, spent);
  if (!mayStillEnd(type, steps)) {
    const again = [
      'Completed steps are taken over, the others run again:',
      ownCommand('rerun', workflowId),
    ] as const;
    return [change ?? again];
  }
  const lost = itemsThatMayStillEnd(steps).filter(
    ({ failure }) => change !== undefined || failure.type === 'SUBMISSION_UNKNOWN',
  );
  const takeOver = lost.flatMap(({ workflowId: id, failure }) => {
    const [, ...commands] = (ADVICE.get(failure.type) ?? ADOPTS)(id, 0, detailsOf(failure).attempts);
    return commands;
  });
  const more = takeOver.length - MOST_NAMED;
  const why = `What may still come to a result, each by itself (bought anew, outside of the pipeline's budget, where nothing is found)${more > 0 ? `, and ${more} more` : ''}:`;
  return [
    ...(takeOver.length === 0 ? [] : [[why, ...takeOver.slice(0, MOST_NAMED)] as const]),
    change ?? [
      'Completed steps are taken over, and tasks that may still come to a result:',
      ownCommand('reset', workflowId),
    ],
  ];
}

/** What has to be changed before a failed pipeline can succeed; undefined: nothing. */
function changeFor(
  workflowId: string,
  type: string,
  steps: PipelineResult['steps'],
  spent: number,
): Thing | undefined {
  if (failedItems(steps).some(({ failure }) => failure.type === 'BUDGET_EXCEEDED')) {
    const command = ownCommand('rerun', workflowId, '--set', `budget.credits=${more(spent)}`);
    return ['Completed steps are taken over. To go on with more budget:', command];
  }
  const stubborn = Object.entries(steps).find(([, step]) =>
    itemsOf(step).some((item) => item.status === 'FAILED' && needsChange(item.failure)),
  );
  if (stubborn !== undefined) {
    const command = `${ownCommand('rerun', workflowId, '--set')} ${stubborn[0]}.<field>=<value>`;
    return ['Completed steps are taken over. With one step changed:', command];
  }
  return needsChange({ type }) ? ANOTHER(workflowId, spent) : undefined;
}

function needsChange({ type }: Pick<StepFailure, 'type'>): boolean {
  return ADVICE.get(withoutPrefix(type)) === ANOTHER;
}

/** A budget that leaves room: what was spent, twice. */
function more(spent: number): number {
  return Math.max(10, Math.ceil(spent * 2));
}
