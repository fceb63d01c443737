import { cut } from '../../api/text/cut.ts';
import type { PipelineResult, StepItem } from '../pipeline.ts';
import { itemsOf } from '../steps/step-items.ts';

/** Steps that are named; of more the number is told. */
const NAMED = 10;
const LONGEST_CAUSE = 300;

/** How a pipeline failed: the first cause, what else is missing, what it cost, and what to do; in the order of the steps. */
export function describePipelineFailure({ steps, usage, charged }: PipelineResult): string {
  const missing = Object.entries(steps).filter(([, { status }]) => status !== 'COMPLETED');
  const ended = missing.flatMap(([name, step]) =>
    itemsOf(step).flatMap((item, index) =>
      item.status === 'COMPLETED' ? [] : { name: 'items' in step ? `${name}/${index}` : name, item },
    ),
  );
  const first = ended.find(({ item }) => item.status === 'FAILED') ?? ended[0];
  const names = missing.slice(0, NAMED).map(([name, { status }]) => `${name} (${status.toLowerCase()})`);
  if (missing.length > NAMED) names.push(`and ${missing.length - NAMED} more`);
  const earlier = usage.total - charged.total;
  return [
    first === undefined ? 'a step is not completed' : causeOf(first.name, first.item),
    `not completed: ${names.join(', ')}`,
    `${usage.total} credits were spent${earlier > 0 ? `, ${earlier} of them by earlier runs` : ''}`,
    'a Reset keeps what is completed and buys only what is not; to change a step, rerun it with --set',
  ].join('; ');
}

function causeOf(name: string, item: StepItem): string {
  if (item.status === 'COMPLETED') return `step ${name} completed`;
  const { type, message } = item.failure;
  const cause = item.status === 'SKIPPED' ? message : `${type}: ${message}`;
  return `step ${name} ${item.status === 'SKIPPED' ? 'was skipped' : 'failed'}: ${cut(cause, LONGEST_CAUSE)}`;
}
