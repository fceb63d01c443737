import { hash } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { type AccountName, type AccountReport, accountOfBudget } from '../contract/entities/account.ts';
import { accountQuery } from '../contract/messages.ts';
import { entityId } from '../contract/workflow-ids.ts';
import { periodOf } from '../policy/periods.ts';
import { isNotFound } from './grpc-status.ts';

/** The account of a workflow's budget. */
export function budgetAccount(workflowId: string): AccountName {
  return accountOfBudget(workflowId, (text) => hash('sha256', text, 'hex'));
}

/**
 * What an account has spent and reserved in the current period; one that was never booked on, or not since the period
 * began, nothing.
 *
 * @throws the client's error while no worker answers
 */
export async function readAccount(
  client: Client,
  { scope, per }: AccountName,
  taskQueue: string,
): Promise<AccountReport> {
  const period = periodOf(per, Date.now());
  const nothing = { period, spent: 0, reserved: 0, purchases: 0, holders: [] };
  try {
    const report = await client.workflow.getHandle(entityId('account', scope, taskQueue)).query(accountQuery);
    return report.period === period ? report : nothing;
  } catch (error) {
    if (isNotFound(error)) return nothing;
    throw error;
  }
}
