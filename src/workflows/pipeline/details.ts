import { NO_USAGE } from '../../api/usage.ts';
import { jsonBytes, utf8Bytes } from '../../contract/json-bytes.ts';
import { MOST_SHOWN_BYTES } from '../../contract/limits.ts';
import type { PipelineProgress, StepProgress } from '../../contract/pipeline.ts';
import { inline } from '../generation/details.ts';

/** Generations that are listed of a step; of more the number is told. */
const LISTED = [20, 5, 1, 0];
/** What is shown first where there is no room for all: what a person is asked, then what runs. */
const RANK = { approval: 0, held: 0, running: 1, pending: 2, done: 3 } as const;
/** Room for the number of what is left out, and for what was spent. */
const FRAME = 300;

/** What a pipeline is doing, as the query tells it: never more than the UI can show. */
export function boundProgress(
  steps: ReadonlyMap<string, StepProgress>,
  usage: PipelineProgress['usage'] = NO_USAGE,
): PipelineProgress {
  for (const listed of LISTED) {
    const all = [...steps].map(([name, step]): [string, StepProgress] => [name, shorten(step, listed)]);
    const progress = { steps: Object.fromEntries(all), usage };
    if (jsonBytes(progress) <= MOST_SHOWN_BYTES) return progress;
  }
  const shortest = [...steps].map(([name, step]): [string, StepProgress] => [name, shorten(step, 0)]);
  const chosen = fitting(
    shortest.toSorted(([, a], [, b]) => RANK[a.status] - RANK[b.status]),
    (step) => jsonBytes(step) + 1,
  );
  const shown = shortest.filter((step) => chosen.has(step));
  return { steps: Object.fromEntries(shown), omitted: steps.size - shown.length, usage };
}

/** What the Temporal Web UI shows of a pipeline, in Markdown. */
export function describePipeline({ steps, omitted = 0, usage }: PipelineProgress): string {
  const rows = Object.entries(steps).map(([name, step]) => {
    const ids = step.workflowIds.slice(0, 5).map((id) => `\`${id}\``);
    const more = step.workflowIds.length - ids.length + (step.more ?? 0);
    if (more > 0) ids.push(`and ${more} more`);
    const state = step.outcome ?? step.status;
    const note = step.note === undefined ? '' : `: ${inline(step.note)}`;
    return `| ${name} | ${step.model} | ${state}${note} | ${ids.join(', ')} |`;
  });
  const shown = [...fitting(rows, (row) => utf8Bytes(row) + 1)];
  const left = rows.length - shown.length + omitted;
  return [
    '| step | model | state | workflow |',
    '|---|---|---|---|',
    ...shown,
    '',
    ...(left === 0 ? [] : [`and ${left} more steps`, '']),
    `Credits: ${usage.total}`,
  ].join('\n');
}

function shorten(step: StepProgress, listed: number): StepProgress {
  const { workflowIds, more = 0 } = step;
  if (workflowIds.length <= listed) return step;
  return {
    ...step,
    workflowIds: workflowIds.slice(0, listed),
    more: more + workflowIds.length - listed,
  };
}

/** The first ones that have room together. */
function fitting<T>(all: readonly T[], bytesOf: (one: T) => number): Set<T> {
  const chosen = new Set<T>();
  let left = MOST_SHOWN_BYTES - FRAME;
  for (const one of all) {
    left -= bytesOf(one);
    if (left < 0) break;
    chosen.add(one);
  }
  return chosen;
}
