import { condition, setHandler } from '@temporalio/workflow';
import type { Decision, Progress } from '../contract.ts';
import {
  checkNowUpdate,
  creditsReleasedSignal,
  decideUpdate,
  progressQuery,
  taskEventSignal,
  taskGrantedSignal,
} from '../messages.ts';
import type { GenerationRun } from './run.ts';

/** Connects a run to its messages. To be called before the first await, so that no early signal is lost. */
export function handleMessages(run: GenerationRun): void {
  setHandler(progressQuery, () => run.progress(), { description: 'What the generation is doing' });
  setHandler(taskEventSignal, (event) => run.onTaskEvent(event), {
    description: "A webhook's hint: the task's record may have changed",
  });
  setHandler(taskGrantedSignal, ({ claimId, taskId }) => void run.grants.set(claimId, taskId), {
    description: 'A lost task was found for a claim of this run',
  });
  setHandler(creditsReleasedSignal, ({ parkId }) => void run.released.add(parkId), {
    description: 'The balance allows this parked run to submit again',
  });
  setHandler(checkNowUpdate, () => checkNow(run), {
    description: 'Polls the task now, or tries again now if the run waits for credits',
  });
  setHandler(decideUpdate, (decision) => decide(run, decision), {
    validator: (decision) => refuseDecision(run, decision),
    description: 'Says what to do: { "action": "resubmit" | "adopt" | "fail", "taskId"? }',
  });
}

async function checkNow(run: GenerationRun): Promise<Progress> {
  if (run.state === 'waiting' || run.state === 'parked') {
    const { polls, state } = run;
    run.pollRequested = true;
    await condition(() => run.polls > polls || run.state !== state);
  }
  return run.progress();
}

async function decide(run: GenerationRun, decision: Decision): Promise<Progress> {
  run.decision = decision;
  await condition(() => run.decision === undefined);
  return run.progress();
}

/** The update's validator: throws, and the decision leaves no trace in the history. */
function refuseDecision(run: GenerationRun, decision: Decision | undefined): void {
  if (!run.asked) throw new Error(`this run does not wait for a decision: its state is "${run.state}"`);
  if (run.decision !== undefined) throw new Error('another decision came first');
  const action: unknown = decision?.action;
  if (action !== 'resubmit' && action !== 'adopt' && action !== 'fail') {
    throw new Error('action must be "resubmit", "adopt" or "fail"');
  }
  if (action === 'adopt' && (typeof decision?.taskId !== 'string' || decision.taskId === '')) {
    throw new Error('taskId must name the task to adopt');
  }
}
