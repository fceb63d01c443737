import type { PipelinePlan, PlannedGeneration } from '../../client/plan/plan-pipeline.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { oneLine } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';

/**
 * What a pipeline will buy and what it will take over, for people: a row for what is alike in a step.
 *
 * @param spent of the budget, in credits
 */
export function describePlan(
  plan: PipelinePlan,
  { budget }: Pick<PipelineRequest, 'budget'> = {},
  spent = 0,
): string {
  const rows = new Map<string, { row: string[]; count: number }>();
  for (const generation of plan.generations) {
    const row = rowOf(generation);
    const key = JSON.stringify(row);
    rows.set(key, { row, count: (rows.get(key)?.count ?? 0) + 1 });
  }
  const cells = [...rows.values()].map(({ row: [step = '', ...rest], count }) => [
    count === 1 ? step : `${step} × ${count}`,
    ...rest,
  ]);
  const table = formatTable(['step', 'model', 'what', 'credits'], cells, terminalColumns());
  return [table, summary(plan), ...remarks(plan, budget, spent)].join('\n');
}

function rowOf(generation: PlannedGeneration): string[] {
  const { path, model, action, credits, approximate, estimate, unless, usd } = generation;
  const { reason = 'what it needs is not there' } = generation;
  const [step = path] = path.split('/', 1);
  const words = {
    buy: 'bought',
    reuse: 'reused',
    skip: `skipped: ${oneLine(reason)}`,
  };
  const known = `${approximate === true ? 'about ' : ''}${credits}${estimate === undefined ? '' : rangeOf(estimate)}`;
  const what = unless === undefined ? words[action] : `${words[action]}, unless ${oneLine(unless)}`;
  const unknown = usd === undefined ? 'not known' : `not known: ${usd} USD by the catalogue`;
  return [step, model, what, credits === null ? unknown : known];
}

function summary({ bought, reused, credits, unknownPrices, generations }: PipelinePlan): string {
  const isRough = generations.some(({ approximate }) => approximate === true);
  const known = generations.flatMap(({ estimate }) => estimate ?? []);
  const sum = (of: 'low' | 'high' | 'seen'): number => known.reduce((all, one) => all + one[of], 0);
  const range = rangeOf({ low: sum('low'), high: sum('high') });
  const basis = sum('seen') === 0 ? '' : ', by what such tasks have cost';
  const price = `${isRough ? 'about ' : ''}${credits} credits${range}${basis}`;
  const cost =
    unknownPrices === 0
      ? ` for ${price}`
      : unknownPrices === bought
        ? ', at prices that are not known yet'
        : ` for ${price}, and ${unknownPrices} of them at prices that are not known yet`;
  return `${count(bought)} to buy${cost}; ${reused} reused`;
}

function rangeOf({ low, high }: { low: number; high: number }): string {
  return low === high ? '' : ` (${low} to ${high})`;
}

function remarks(
  { credits, approvals }: PipelinePlan,
  budget: PipelineRequest['budget'],
  spent: number,
): string[] {
  const used = spent > 0 ? `, of which ${spent} are spent,` : '';
  return [
    ...(approvals.length === 0 ? [] : [`a person is asked before it buys: ${approvals.join(', ')}`]),
    ...(budget !== undefined && credits > budget.credits - spent
      ? [`the budget of ${budget.credits} credits${used} does not admit all of it`]
      : []),
  ];
}

function count(generations: number): string {
  return generations === 1 ? '1 generation' : `${generations} generations`;
}
