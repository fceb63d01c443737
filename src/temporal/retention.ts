import type { Client } from '@temporalio/client';

/** How long the client's namespace keeps runs that are closed, in milliseconds. */
export async function retentionOf(client: Client): Promise<number> {
  const { namespace } = client.options;
  const { config } = await client.workflowService.describeNamespace({ namespace });
  return Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0) * 1_000;
}
