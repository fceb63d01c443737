import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { digestOf } from '../../api/input/field-digests.ts';
import type { SaidOfStep } from '../../contract/steps/step-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { saidIn } from '../../temporal/said-of-steps.ts';
import { goesOn } from '../goes-on.ts';

/**
 * What people have said of a step in earlier runs of the pipeline that asks: a Reset leaves these decisions behind it, but
 * what was bought by them is paid for.
 *
 * @returns in the order in which it was said, each once
 */
export async function saidOfStep(client: Client, step: string): Promise<SaidOfStep[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const runs = await readHistories(client, { workflowId, runId }, saidIn, goesOn);
  const said = runs.earlier.flat().filter((one) => one.step === step);
  return [
    ...new Map(said.map(({ by, input }) => [`${by} ${digestOf(input)}`, { by, input }] as const)).values(),
  ];
}
