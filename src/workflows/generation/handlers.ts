import { ApplicationFailure, condition, type SignalDefinition, setHandler } from '@temporalio/workflow';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import { shown } from '../../api/text/shown.ts';
import { DECISIONS, type Decision, type DecisionAnswer, type Progress } from '../../contract/generation.ts';
import * as messages from '../../contract/messages.ts';
import { readTask } from './activities.ts';
import { inputOf } from './evidence.ts';
import {
  hearBegunLook,
  hearEnd,
  hearGrant,
  hearHeldUp,
  hearNotSent,
  hearProof,
  hearRelease,
} from './heard.ts';
import { decisionsFor, pendingDecision, progressOf, stateOf } from './projections.ts';
import type { Heard, Run, State } from './state.ts';

/** What a signal adds to what was heard, and what it is for. */
type Signal = readonly [SignalDefinition<unknown[]>, (state: State, said: unknown) => Heard, string];

const SIGNALS: readonly Signal[] = [
  [messages.taskEventSignal, hearEnd, "A webhook's hint: the task's record may have changed"],
  [messages.taskGrantedSignal, hearGrant, 'A lost task was found for a claim of this run'],
  [messages.lookBegunSignal, hearBegunLook, 'A task is looked at that may be of a lost submit of this run'],
  [messages.submitProvenSignal, hearProof, 'An unknown submit of this run was charged after all'],
  [
    messages.submitHeldUpSignal,
    hearHeldUp,
    'What holds up the submit of this run, which is tried again and again; or that nothing does any more',
  ],
  [messages.submitNotSentSignal, hearNotSent, 'A submit of this run that was given up was never sent'],
  [messages.creditsReleasedSignal, hearRelease, 'The balance allows this parked run to submit again'],
];

type Hear = (heard: Heard) => void;

/** Connects a run to its messages. To be called before the first await, so that no early signal is lost. */
export function handleMessages(run: Run, hear: Hear): void {
  for (const [signal, read, description] of SIGNALS)
    setHandler(signal, (said) => hear(read(run.now(), said)), { description });
  setHandler(messages.progressQuery, () => progressOf(run.now(), run.request), {
    description: 'What the generation is doing',
  });
  setHandler(messages.checkNowUpdate, () => checkNow(run, hear), {
    description: 'Polls the task now, or tries again now if the run waits for credits',
  });
  setHandler(messages.decideUpdate, (decision) => decide(run, hear, decision), {
    // It throws, and the decision leaves no trace in the history.
    validator: (decision) => {
      const wrong = whatIsWrongWith(run, decision);
      if (wrong !== undefined) throw new Error(wrong);
    },
    description: 'Says what to do: { "action": "resubmit" | "adopt" | "fail", "taskId"?, "otherInput"? }',
  });
}

/** Waits for a look that has begun since. */
async function checkNow(run: Run, hear: Hear): Promise<Progress> {
  const state = stateOf(run.now());
  if (state === 'waiting' || state === 'parked' || state === 'storing') {
    const { heard } = run.now();
    const looks = heard.looks + 1;
    hear({ ...heard, looks });
    await condition(() => run.now().looked >= looks || stateOf(run.now()) !== state);
  }
  return progressOf(run.now(), run.request);
}

async function decide(run: Run, hear: Hear, decision: Decision): Promise<DecisionAnswer> {
  const looked = decision.action === 'adopt' ? await lookAtTask(run, decision) : {};
  // Since it was accepted another person may have decided, or the task have come.
  const { wrong = whatIsWrongWith(run, decision), warning } = looked;
  if (wrong !== undefined) throw notObeyed(wrong);
  const { heard } = run.now();
  const { taskId = '' } = decision;
  const count = heard.decisions.count + 1;
  const foreign = warning === undefined ? heard.foreign : [...heard.foreign, taskId];
  hear({ ...heard, foreign, decisions: { count, latest: decision } });
  await condition(() => run.now().decided.count >= count);
  const { refusal, note } = run.now().decided;
  if (refusal !== undefined) throw notObeyed(refusal);
  const notes = [note, warning].filter((one) => one !== undefined);
  return { ...progressOf(run.now(), run.request), note: notes.length === 0 ? null : notes.join('; ') };
}

function notObeyed(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'INVALID_REQUEST', message, nonRetryable: true });
}

/**
 * A person who mistypes a task's id, or names the task of another generation or input, is told so at once, and the run
 * goes on waiting for a decision. A record that cannot be read now tells nothing of the task.
 */
async function lookAtTask(run: Run, decision: Decision): Promise<{ wrong?: string; warning?: string }> {
  const { workspace, request } = run;
  const { taskId = '', otherInput } = decision;
  const sent = { model: request.model, fields: fieldDigests(inputOf(run, run.now(), undefined)) };
  const report = await readTask({ taskId, workspace, holder: true, sent });
  const { kind, heldBy } = report;
  const named = shown(taskId);
  if (kind === 'not-found')
    return {
      wrong: `taskId must name a task that the API knows in workspace ${workspace}: it knows no ${named}`,
    };
  if (heldBy !== undefined)
    return {
      wrong: `taskId must name a task that nobody else has: ${named} is the one of ${heldBy}, where it counts`,
    };
  if (kind !== 'record' || report.isAsSent !== false) return {};
  const differs = (report.differs ?? []).map((name) => shown(name)).join(', ') || 'its fields';
  const what = `${named} is of another model or input than this run's ${request.model} (different: ${differs})`;
  return otherInput === true
    ? { warning: `${what}; what it has cost is not charged to this run` }
    : {
        wrong: `taskId must name a task of this run's model and input: ${what}. To take it all the same, uncharged, add "otherInput": true (--other-input on the command line)`,
      };
}

/** Undefined when the run can follow the decision. */
function whatIsWrongWith(run: Run, decision: Partial<Decision> | null | undefined): string | undefined {
  const state = run.now();
  const { adoptOnly } = run.request;
  if (pendingDecision(state) !== undefined) return 'another decision came first';
  if (state.stage.at !== 'ask')
    return `this run does not wait for a decision: its state is "${stateOf(state)}"`;
  const action = DECISIONS.find((one) => one === decision?.action);
  if (action === undefined) return 'action must be "resubmit", "adopt" or "fail"';
  if (!decisionsFor(run.request).includes(action))
    return `action must be "adopt" or "fail": nothing may be bought for this run: ${adoptOnly?.message}`;
  return action === 'adopt' && !isTaskId(decision?.taskId) ? 'taskId must name the task to adopt' : undefined;
}
