import type { CostRow } from '../../client/cost/cost-table.ts';

/** Columns of the FinOps Open Cost and Usage Specification (FOCUS) that these costs have values for. */
const COLUMNS = [
  'ChargePeriodStart',
  'ChargePeriodEnd',
  'ChargeCategory',
  'BillingCurrency',
  'BilledCost',
  'ConsumedQuantity',
  'ConsumedUnit',
  'ServiceName',
  'SubAccountName',
  'Tags',
] as const;

const DAY = 24 * 60 * 60_000;

/**
 * Costs as CSV with FOCUS's column names; what was given back stands in lines of its own, as an adjustment.
 *
 * @param since, until what the rows are of where they are not by day; milliseconds since the epoch
 */
export function focusCsv(
  rows: readonly CostRow[],
  { since, until }: { since: number; until: number },
): string {
  const lines = rows.flatMap((row) => {
    const { day, model, workspace, tasks, credits, refunded, ...others } = row;
    const start = day == null ? since : Date.parse(day);
    const end = day == null ? until : start + DAY;
    const tags = Object.entries(others).flatMap(([by, value]) =>
      typeof value === 'string' ? [[by.slice('tag:'.length), value]] : [],
    );
    const line = (category: string, cost: number, quantity: number): string =>
      [
        new Date(start).toISOString(),
        new Date(end).toISOString(),
        category,
        'credits',
        String(cost),
        String(quantity),
        'tasks',
        model ?? '',
        workspace ?? '',
        JSON.stringify(Object.fromEntries(tags)),
      ]
        .map(cell)
        .join(',');
    return [line('Usage', credits, tasks), ...(refunded === 0 ? [] : [line('Adjustment', -refunded, 0)])];
  });
  return [COLUMNS.join(','), ...lines].join('\n');
}

function cell(text: string): string {
  return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
