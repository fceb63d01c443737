import { isDeepStrictEqual } from 'node:util';
import type { Client } from '@temporalio/client';
import { digestOf } from '../../api/input/field-digests.ts';
import { isList, isRecord } from '../../api/json/is-record.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { fansOut } from '../../contract/steps/references.ts';
import type { SaidOfStep } from '../../contract/steps/step-look.ts';
import { readHistories } from '../../temporal/earlier-histories.ts';
import { saidIn, saidOnce } from '../../temporal/said-of-steps.ts';

type Inputs = Record<string, unknown>[];

/**
 * The request of a pipeline with the inputs that people have given last in the place of its own, and beside them those
 * that they gave before: what was bought with any of these is what a rerun is to find.
 *
 * @param run the latest one
 */
export async function asGiven(
  client: Client,
  workflowId: string,
  { runId, request }: { runId: string; request: PipelineRequest },
): Promise<PipelineRequest> {
  // Anybody can start a workflow with anything: such a run has ended as INVALID_REQUEST.
  const { earlierInputs = {}, ...asked } = request;
  if (!isRecord(request.steps) || !isRecord(earlierInputs)) return asked;
  const { earlier, own } = await readHistories(client, { workflowId, runId }, saidIn);
  const said = Map.groupBy(saidOnce([...earlier, own].flat()), ({ step }) => step);
  const all = Object.entries(request.steps).map(([name, step]) => {
    const before = Object.hasOwn(earlierInputs, name) ? earlierInputs[name] : undefined;
    const inputs = [step.input, ...(isList(before) ? before : [])];
    const [input = step.input, ...others] = inputsAfter(inputs, said.get(name) ?? []);
    return { name, step: { ...step, input }, others };
  });
  return {
    ...asked,
    steps: Object.fromEntries(all.map(({ name, step }) => [name, step])),
    ...withEarlier(all.map(({ name, others }) => [name, others])),
  };
}

/** The inputs that a step was tried with, the latest first. @param inputs its own, and those before that */
export function inputsAfter(inputs: Inputs, said: readonly SaidOfStep[]): Inputs {
  let [approved] = inputs;
  return said.reduce((all, { by, input }) => {
    // What a person approves is for all of a step; what is tried again is what has failed of it.
    if (by === 'approve' && input !== null) {
      approved = input;
      return [input];
    }
    const last = by === 'approve' && !fansOut(approved) ? approved : (input ?? undefined);
    return last === undefined ? all : [last, ...all.filter((one) => digestOf(one) !== digestOf(last))];
  }, inputs);
}

/** A request that was changed: a step whose input is another one now is bought with that. */
export function withChanges(request: PipelineRequest, changed: PipelineRequest): PipelineRequest {
  const { earlierInputs = {}, ...others } = changed;
  const kept = Object.entries(earlierInputs).filter(([name]) =>
    isDeepStrictEqual(request.steps[name]?.input, changed.steps[name]?.input),
  );
  return { ...others, ...withEarlier(kept) };
}

function withEarlier(inputs: [string, Inputs][]): Pick<PipelineRequest, 'earlierInputs'> {
  const some = inputs.filter(([, others]) => others.length > 0);
  return some.length === 0 ? {} : { earlierInputs: Object.fromEntries(some) };
}
