import { Context } from '@temporalio/activity';
import type { Client } from '@temporalio/client';
import { digestOf } from '../../api/input/field-digests.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { resolveUpdate } from '../../contract/messages.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';
import { goesOn } from '../goes-on.ts';
import { readHistories } from '../parents/earlier-histories.ts';

/**
 * The inputs that people gave a held step in earlier runs of the pipeline that asks: a Reset leaves these decisions
 * behind it, but what was bought by them is paid for.
 *
 * @returns in the order in which they were given, each once
 */
export async function givenInputs(client: Client, step: string): Promise<Record<string, unknown>[]> {
  const { workflowId = '', runId = '' } = Context.current().info.workflowExecution ?? {};
  const read = (events: readonly HistoryEvent[]) => inputsIn(events, step);
  const runs = await readHistories(client, { workflowId, runId }, read, goesOn);
  return [...new Map(runs.earlier.flat().map((input) => [digestOf(input), input])).values()];
}

/** Of the updates that were obeyed: an input that does not fit is refused after it was accepted. */
function inputsIn(events: readonly HistoryEvent[], step: string): Record<string, unknown>[] {
  const obeyed = new Set(
    events.flatMap(({ workflowExecutionUpdateCompletedEventAttributes: completed }) =>
      completed?.outcome?.success ? (completed.meta?.updateId ?? []) : [],
    ),
  );
  return events.flatMap(({ workflowExecutionUpdateAcceptedEventAttributes: accepted }) => {
    const { meta, input } = accepted?.acceptedRequest ?? {};
    if (input?.name !== resolveUpdate.name || !obeyed.has(meta?.updateId ?? '')) return [];
    const [said]: unknown[] = decode(input.args);
    const isOfStep = isRecord(said) && said['step'] === step && said['action'] === 'retry';
    return isOfStep && isRecord(said['input']) ? [said['input']] : [];
  });
}
