import { CancellationScope, workflowInfo } from '@temporalio/workflow';
import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { LONGEST_WORKSPACE, readHandedOn } from '../arguments/read-arguments.ts';
import { list, object, oneOf, optional, record, type Shape, text } from '../arguments/shapes.ts';
import { isLong, isOutdated } from '../go-on.ts';
import type { Order } from '../in-order.ts';
import { ResetWatch } from '../reset-watch.ts';
import { mayHaveBought } from './attempts.ts';
import type { Stage } from './stage.ts';
import type { Run, State } from './state.ts';

/** Events after which a run goes on in a new one, whatever the server suggests. */
const MAX_HISTORY = 10_000;
const LONGEST_MODEL = 100;

export const BEGINNING: State = {
  stage: { at: 'submit' },
  attempts: [],
  resolvedUnknowns: [],
  unknowns: 0,
  otherSeeds: [],
  evidence: { granted: [], looks: [] },
  looked: 0,
  decided: { count: 0 },
  heard: {
    ended: [],
    artifacts: [],
    prices: [],
    grants: [],
    proofs: [],
    begunLooks: 0,
    notSent: [],
    released: [],
    looks: 0,
    decisions: { count: 0 },
  },
};

const SHOWN = object<Pick<GenerationRequest, 'model' | 'workspace'>>({
  model: text(LONGEST_MODEL),
  workspace: optional(text(LONGEST_WORKSPACE)),
});

/** The request as far as it can be shown to people: until the worker has checked it, anything may be wrong with it. */
function readRequest(value: unknown): GenerationRequest {
  if (!isRecord(value) || !SHOWN(value)) return { model: '', input: {} };
  return value as unknown as GenerationRequest; // what it shows is right; the check tells what else is
}

/** Its inside is its own: a run of ours has written it, and nobody else gets this far. */
const CARRIED = object({
  stage: object<Pick<Stage, 'at'>>({ at: oneOf('submit', 'park', 'reconcile', 'ask', 'wait', 'store') }),
  attempts: list(record),
  heard: record,
}) as Shape<unknown> as Shape<State>;

/** Where a run begins: at its submit, or where the one before it has got to. @throws INVALID_REQUEST */
export function begin(request: unknown, handedOn: unknown): State {
  const carried = readHandedOn(handedOn, CARRIED);
  if (carried !== undefined) return { ...carried, stage: resumed(carried.stage) };
  const { runId, firstExecutionRunId } = workflowInfo();
  const isRerun = runId !== firstExecutionRunId || readRequest(request).earlierRun !== undefined;
  return isRerun ? { ...BEGINNING, stage: { at: 'submit', isRerun } } : BEGINNING;
}

/** This run is the one that entities are to tell from here on. */
export function resumed(stage: Stage): Stage {
  if (stage.at === 'park') return { ...stage, nextAt: undefined };
  return 'search' in stage ? { ...stage, search: { ...stage.search, claim: 'not yet' } } : stage;
}

export function runOf(asked: unknown, now: () => State, order: Order): Run {
  const { workflowId, runId, firstExecutionRunId: firstRunId, parent, memo } = workflowInfo();
  const request = readRequest(asked);
  const { workspace = DEFAULT_WORKSPACE } = request;
  const resets = new ResetWatch();
  return {
    request,
    asked: asked ?? null,
    workspace,
    workflowId,
    runId,
    firstRunId,
    isStep: parent !== undefined && memo?.['step'] !== undefined,
    now,
    isToContinue: () => isToContinue(now(), order),
    resets,
    isInterrupted: () => resets.isReset || isToContinue(now(), order),
  };
}

/**
 * Its history has become long or its version is to be replaced, and nobody waits for an answer of it: what they wait for
 * may be the next step. Nor is it being cancelled: the next run would not know of it. What has only a task to wait for ends
 * with the version that it was begun with. Nor before its first submit, which looks for what earlier runs have bought.
 */
function isToContinue(state: State, order: Order): boolean {
  const { stage } = state;
  const isOver = stage.at === 'done' || CancellationScope.current().consideredCancelled;
  const looksBack = stage.at === 'submit' && !mayHaveBought(state);
  if (isOver || looksBack || order.isAnswering()) return false;
  return isLong(MAX_HISTORY) || (stage.at !== 'wait' && isOutdated());
}
