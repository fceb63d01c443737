import { ApplicationFailure, condition, patched, setHandler } from '@temporalio/workflow';
import { shown } from '../../api/shown.ts';
import type { Decision, DecisionAnswer, Progress } from '../../contract/generation.ts';
import {
  checkNowUpdate,
  creditsReleasedSignal,
  decideUpdate,
  progressQuery,
  submitProvenSignal,
  taskEventSignal,
  taskGrantedSignal,
} from '../../contract/messages.ts';
import { local } from './activities.ts';
import type { Inbox } from './inbox.ts';
import type { GenerationRun } from './run.ts';

/** Runs that were decided about before this was looked at replay without it. */
const ADOPTED_TASKS_ARE_LOOKED_AT = 'adopted-tasks-are-looked-at';

/** Connects a run to its messages. To be called before the first await, so that no early signal is lost. */
export function handleMessages(run: GenerationRun, inbox: Inbox): void {
  setHandler(progressQuery, () => run.progress(), { description: 'What the generation is doing' });
  setHandler(taskEventSignal, (event) => inbox.onTaskEvent(event), {
    description: "A webhook's hint: the task's record may have changed",
  });
  setHandler(taskGrantedSignal, (grant) => inbox.onGrant(grant), {
    description: 'A lost task was found for a claim of this run',
  });
  setHandler(submitProvenSignal, (proof) => run.prove(proof), {
    description: 'An unknown submit of this run was charged after all',
  });
  setHandler(creditsReleasedSignal, (release) => inbox.onRelease(release), {
    description: 'The balance allows this parked run to submit again',
  });
  setHandler(checkNowUpdate, () => checkNow(run, inbox), {
    description: 'Polls the task now, or tries again now if the run waits for credits',
  });
  setHandler(decideUpdate, (decision) => decide(run, inbox, decision), {
    // It throws, and the decision leaves no trace in the history.
    validator: (decision) => {
      const wrong = whatIsWrongWith(run, inbox, decision);
      if (wrong !== undefined) throw new Error(wrong);
    },
    description: 'Says what to do: { "action": "resubmit" | "adopt" | "fail", "taskId"? }',
  });
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

async function decide(run: GenerationRun, inbox: Inbox, decision: Decision): Promise<DecisionAnswer> {
  if (decision.action === 'adopt' && patched(ADOPTED_TASKS_ARE_LOOKED_AT)) {
    const wrong = (await whatIsWrongWithTask(run, decision.taskId)) ?? whatIsWrongWith(run, inbox, decision);
    if (wrong !== undefined) throw notObeyed(wrong);
  }
  inbox.decisionEnd = {};
  inbox.decision = decision;
  await condition(() => inbox.decision === undefined);
  const { refusal, note = null } = inbox.decisionEnd;
  if (refusal !== undefined) throw notObeyed(refusal);
  return { ...run.progress(), note };
}

function notObeyed(message: string): ApplicationFailure {
  return ApplicationFailure.create({ type: 'INVALID_REQUEST', message, nonRetryable: true });
}

/**
 * A person who mistypes a task's id is told so at once, and the run goes on waiting for a decision. A record that
 * cannot be read now tells nothing of the id.
 */
async function whatIsWrongWithTask(run: GenerationRun, taskId = ''): Promise<string | undefined> {
  const { kind } = await local.getTask({ taskId, workspace: run.workspace });
  return kind === 'not-found'
    ? `taskId must name a task that the API knows in workspace ${run.workspace}: it knows no ${shown(taskId)}`
    : undefined;
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
  if (action === 'adopt' && (typeof decision?.taskId !== 'string' || decision.taskId === '')) {
    return 'taskId must name the task to adopt';
  }
  return undefined;
}
