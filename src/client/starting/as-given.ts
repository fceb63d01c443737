import type { Client } from '@temporalio/client';
import { isList, isRecord } from '../../api/json/is-record.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { fansOut } from '../../contract/steps/references.ts';
import type { SaidOfStep } from '../../contract/steps/step-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { decode, type HistoryEvent, timeOf } from '../../temporal/history.ts';
import { saidIn, saidOnce } from '../../temporal/said-of-steps.ts';

/**
 * The request of a pipeline with the inputs that people have put in the place of its own: what was bought with these is
 * what a rerun is to find.
 *
 * @param run the latest one
 */
export async function asGiven(
  client: Client,
  workflowId: string,
  { runId, request }: { runId: string; request: PipelineRequest },
): Promise<PipelineRequest> {
  // Anybody can start a workflow with anything: such a run has ended as INVALID_REQUEST.
  if (!isRecord(request.steps)) return request;
  const { earlier, own } = await readHistories(client, { workflowId, runId }, givenIn);
  const inputs = new Map<string, Record<string, unknown>>();
  for (const { step, by, input } of saidOnce([...earlier, own].flat())) {
    // Of a fan-out it was for the items that had failed: with it for all, those that are bought were bought again.
    if (by === 'approve' || !fansOut(request.steps[step]?.input)) inputs.set(step, input);
  }
  const steps = Object.entries(request.steps).map(([name, step]) => {
    const input = inputs.get(name);
    return [name, input === undefined ? step : { ...step, input }];
  });
  return { ...request, steps: Object.fromEntries(steps) };
}

interface Given {
  id?: string;
  at: number;
  step: string;
  /** Of what was handed on that is not known. */
  by?: SaidOfStep['by'];
  input: Record<string, unknown>;
}

/** The inputs that a run was handed on, and those that people gave it. */
function givenIn(events: readonly HistoryEvent[]): Given[] {
  const [start] = events;
  if (start === undefined) return [];
  const [, carried] = decode(start.workflowExecutionStartedEventAttributes?.input);
  const at = timeOf(start);
  const inputs = isRecord(carried) && isList(carried['inputs']) ? carried['inputs'] : [];
  return [
    ...(inputs as CarriedPipeline['inputs']).map(([step, { input }]): Given => ({ at, step, input })),
    ...saidIn(events).flatMap(({ input, ...said }): Given[] => (input === null ? [] : [{ ...said, input }])),
  ];
}
