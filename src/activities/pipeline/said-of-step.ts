import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { digestOf } from '../../api/input/field-digests.ts';
import type { SaidOfStep } from '../../contract/steps/step-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { saidIn, saidOnce } from '../../temporal/said-of-steps.ts';
import { goesOn } from '../goes-on.ts';

/**
 * What people have said of a step in earlier runs of the pipeline that asks: a Reset leaves these decisions behind it, but
 * what was bought by them is paid for.
 *
 * @returns in the order in which it was said last, each once
 */
export async function saidOfStep(client: Client, step: string): Promise<SaidOfStep[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const runs = await readHistories(client, { workflowId, runId }, saidIn, goesOn);
  const said = new Map<string, SaidOfStep>();
  for (const { step: name, by, input } of saidOnce(runs.earlier.flat())) {
    if (name !== step) continue;
    const key = `${by} ${digestOf(input)}`;
    said.delete(key);
    said.set(key, { by, input });
  }
  return [...said.values()];
}
