import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';
import { entityId } from '../../src/contract/workflow-ids.ts';
import type { Finding } from '../explore/rule.ts';
import type { DisturbanceLog } from './disturbance-log.ts';
import type { StormPlan } from './plan.ts';
import { ENTITIES } from './plan-disturbances.ts';
import { type Stage, TASK_QUEUE } from './stage.ts';

/**
 * Writes down what explains a storm's findings, beside its logs and databases: `findings.json`, the service's own books
 * (`ledger.json`, `tasks.json`), what was broken when (`disturbances.json`), every delivery that was sent
 * (`deliveries.json`), and in `histories/` each run of the workflows that were found, of those with the same input, of
 * their pipelines and steps, and of the entities, with what still runs of it.
 */
export async function keepEvidence(
  folder: string,
  stage: Stage,
  plan: StormPlan,
  found: { findings: readonly Finding[]; log: DisturbanceLog },
): Promise<void> {
  const { client, emulator, gateway } = stage;
  const { findings, log } = found;
  const write = (name: string, facts: unknown): Promise<void> =>
    writeFile(join(folder, name), JSON.stringify(facts, null, 1));
  await write('findings.json', findings);
  await write('disturbances.json', log.timeline);
  await write('deliveries.json', gateway.passed);
  await write('ledger.json', await emulator.charges());
  await write('tasks.json', await emulator.tasks());
  await mkdir(join(folder, 'histories'));
  for (const workflowId of concerned(plan, findings)) await keepHistories(client, folder, workflowId);
}

function concerned(plan: StormPlan, findings: readonly Finding[]): Set<string> {
  const named = new Set(findings.map(({ workflowId }) => workflowId));
  const members = plan.generations.filter(
    ({ workflowId, group, pipeline = '' }) =>
      named.has(workflowId) || named.has(group) || named.has(pipeline),
  );
  return new Set([
    ...ENTITIES.map((entity) => entityId(entity, 'default', TASK_QUEUE)),
    ...named,
    ...members.flatMap(({ workflowId, pipeline }) => [
      workflowId,
      ...(pipeline === undefined ? [] : [pipeline]),
    ]),
  ]);
}

async function keepHistories(client: Client, folder: string, workflowId: string): Promise<void> {
  if (workflowId.includes("'")) return;
  const name = workflowId.replaceAll(/[^\w@.-]/g, '_');
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) {
    const handle = client.workflow.getHandle(workflowId, runId);
    const [history, { raw }] = await Promise.all([handle.fetchHistory(), handle.describe()]);
    const path = join(folder, 'histories', `${name}.${runId}`);
    await writeFile(`${path}.json`, historyToJSON(history));
    await writeFile(`${path}.now.json`, JSON.stringify(raw, null, 1));
  }
}
