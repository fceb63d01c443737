import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import { isNotSearchable } from './grpc-status.ts';
import { isComparable, visibilityText } from './visibility-query.ts';

/** A condition of a visibility query: an attribute's name, how it compares, and with what. */
export type Condition = readonly [
  name: string,
  operator: '=' | '!=' | 'IN' | 'IS NOT NULL',
  ...values: string[],
];

/**
 * The runs that meet all conditions, as Temporal's visibility lists them: open ones first, then by age. It lags by
 * about 0.1 s.
 *
 * @returns none, too, where no worker has registered a search attribute yet: no run can have it
 */
export async function listRuns(
  client: Client,
  conditions: readonly Condition[],
  limit: number,
): Promise<WorkflowExecutionInfo[]> {
  // No name of ours can hold what cannot be compared.
  if (!conditions.flatMap(([, , ...values]) => values).every(isComparable)) return [];
  const query = conditions.map(toText).join(' AND ');
  const found: WorkflowExecutionInfo[] = [];
  try {
    for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1_000) })) {
      found.push(info);
      if (found.length >= limit) break;
    }
  } catch (error) {
    if (!isNotSearchable(error)) throw error;
  }
  return found;
}

function toText([name, operator, ...values]: Condition): string {
  const texts = values.map(visibilityText).join(', ');
  return `${name} ${operator} ${operator === 'IN' ? `(${texts})` : texts}`.trimEnd();
}
