import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import { fieldDigests } from '../../api/input/field-digests.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import { shown } from '../../api/text/shown.ts';
import type { SubmitProof } from '../../contract/entities/unclaimed-tasks.ts';
import type { Decision, DecisionAnswer, Progress } from '../../contract/generation.ts';
import {
  checkNowUpdate,
  creditsReleasedSignal,
  decideUpdate,
  progressQuery,
  submitHeldUpSignal,
  submitNotSentSignal,
  submitProvenSignal,
  taskEventSignal,
  taskGrantedSignal,
} from '../../contract/messages.ts';
import { SUBMIT_HELD_UP } from '../../contract/search-attributes.ts';
import type { Inbox } from './inbox.ts';
import type { Plan } from './plan.ts';
import { readTask } from './read-task.ts';
import type { GenerationRun } from './run.ts';

/** Connects a run to its messages. To be called before the first await, so that no early signal is lost. */
export function handleMessages(run: GenerationRun, inbox: Inbox, plan: () => Plan | undefined): void {
  setHandler(progressQuery, () => run.progress(), { description: 'What the generation is doing' });
  setHandler(taskEventSignal, (event) => inbox.onTaskEvent(event), {
    description: "A webhook's hint: the task's record may have changed",
  });
  setHandler(taskGrantedSignal, (grant) => inbox.onGrant(grant), {
    description: 'A lost task was found for a claim of this run',
  });
  setHandler(submitProvenSignal, (proof) => takeProof(run, inbox, proof), {
    description: 'An unknown submit of this run was charged after all',
  });
  setHandler(
    submitHeldUpSignal,
    (said: unknown) => {
      const reason = isRecord(said) ? said['reason'] : undefined;
      if (run.state !== 'submitting') return;
      run.stumble(SUBMIT_HELD_UP, `the submit is tried again and again: ${shown(reason)}`);
    },
    { description: 'The API is away, and the submit of this run is tried again and again' },
  );
  setHandler(submitNotSentSignal, (submit) => inbox.onNotSent(submit), {
    description: 'A submit of this run that was given up was never sent',
  });
  setHandler(creditsReleasedSignal, (release) => inbox.onRelease(release), {
    description: 'The balance allows this parked run to submit again',
  });
  setHandler(checkNowUpdate, () => checkNow(run, inbox), {
    description: 'Polls the task now, or tries again now if the run waits for credits',
  });
  setHandler(decideUpdate, (decision) => decide(run, inbox, { decision, plan: plan() }), {
    // It throws, and the decision leaves no trace in the history.
    validator: (decision) => {
      const wrong = whatIsWrongWith(run, inbox, decision);
      if (wrong !== undefined) throw new Error(wrong);
    },
    description: 'Says what to do: { "action": "resubmit" | "adopt" | "fail", "taskId"?, "otherInput"? }',
  });
}

/** Of a submit that this run has not given up, because a Reset has brought it back: then it is a grant. */
function takeProof(run: GenerationRun, inbox: Inbox, proof: Partial<SubmitProof> | null | undefined): void {
  if (!run.prove(proof)) inbox.onGrant(proof);
}

async function checkNow(run: GenerationRun, inbox: Inbox): Promise<Progress> {
  if (run.state === 'waiting' || run.state === 'parked' || run.state === 'storing') {
    const { state } = run;
    const { looks } = inbox;
    inbox.lookRequested = true;
    await condition(() => inbox.looks > looks || run.state !== state);
  }
  return run.progress();
}

async function decide(
  run: GenerationRun,
  inbox: Inbox,
  { decision, plan }: { decision: Decision; plan: Plan | undefined },
): Promise<DecisionAnswer> {
  let warning: string | undefined;
  if (decision.action === 'adopt') {
    const task = await lookAtTask(run, decision, plan);
    const wrong = task.wrong ?? whatIsWrongWith(run, inbox, decision);
    if (wrong !== undefined) throw notObeyed(wrong);
    ({ warning } = task);
    if (warning !== undefined) run.adoptForeign(decision.taskId ?? '', warning);
  }
  inbox.decisionEnd = {};
  inbox.decision = decision;
  await condition(() => inbox.decision === undefined);
  const { refusal, note = null } = inbox.decisionEnd;
  if (refusal !== undefined) throw notObeyed(refusal);
  const notes = [note, warning].filter((one) => typeof one === 'string');
  return { ...run.progress(), note: notes.length === 0 ? null : notes.join('; ') };
}

function notObeyed(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'INVALID_REQUEST', message, nonRetryable: true });
}

/**
 * A person who mistypes a task's id, or names the task of another generation or input, is told so at once, and the run
 * goes on waiting for a decision. A record that cannot be read now tells nothing of the task.
 */
async function lookAtTask(
  run: GenerationRun,
  { taskId = '', otherInput }: Decision,
  plan: Plan | undefined,
): Promise<{ wrong?: string; warning?: string }> {
  const { workspace, request } = run;
  const sent = { model: request.model, fields: fieldDigests(plan?.input ?? request.input) };
  const report = await readTask({ taskId, workspace, holder: true, sent });
  const { kind, heldBy } = report;
  if (kind === 'not-found')
    return {
      wrong: `taskId must name a task that the API knows in workspace ${workspace}: it knows no ${shown(taskId)}`,
    };
  if (heldBy !== undefined)
    return {
      wrong: `taskId must name a task that nobody else has: ${shown(taskId)} is the one of ${heldBy}, where it counts`,
    };
  if (kind !== 'record' || report.isAsSent !== false) return {};
  const differs = (report.differs ?? []).map((name) => shown(name)).join(', ');
  const what = `${shown(taskId)} is of another model or input than this run's ${request.model} (different: ${differs || 'its fields'})`;
  return otherInput === true
    ? { warning: `${what}; what it has cost is not charged to this run` }
    : {
        wrong: `taskId must name a task of this run's model and input: ${what}. To take it all the same, uncharged, add "otherInput": true (--other-input on the command line)`,
      };
}

/** Undefined when the run can follow the decision. */
function whatIsWrongWith(
  run: GenerationRun,
  inbox: Inbox,
  decision: Decision | undefined,
): string | undefined {
  if (!inbox.isAsking) return `this run does not wait for a decision: its state is "${run.state}"`;
  if (inbox.decision !== undefined) return 'another decision came first';
  const action: unknown = decision?.action;
  if (action !== 'resubmit' && action !== 'adopt' && action !== 'fail') {
    return 'action must be "resubmit", "adopt" or "fail"';
  }
  if (!run.decisions.includes(action)) {
    return `action must be "adopt" or "fail": nothing may be bought for this run: ${run.request.adoptOnly?.message}`;
  }
  if (action === 'adopt' && !isTaskId(decision?.taskId)) {
    return 'taskId must name the task to adopt';
  }
  return undefined;
}
