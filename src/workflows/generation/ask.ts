import { condition, log, workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import { summary } from './activities.ts';
import type { Steps } from './generation.ts';

/**
 * Waits for a person's decision, or for `resolved` to become true without one; of runs that release 0.1 has begun. The
 * run stays in the state `needs a decision`, which operators search by.
 *
 * @param note why it asks, in a line
 */
export async function askPerson(
  steps: Steps,
  note: string,
  resolved: () => boolean = () => false,
): Promise<Decision | undefined> {
  const { run, inbox } = steps;
  beginAsking(steps, note);
  try {
    await condition(() => inbox.decision !== undefined || resolved());
    if (inbox.decision !== undefined) log.info(`a person has decided: ${inbox.decision.action}`);
    return inbox.decision;
  } finally {
    endAsking(steps);
    // What was decided is being done. The search attribute follows with the next state, so that history stays true.
    run.state = 'reconciling';
  }
}

/** From now on a decision is accepted, and what to send is shown. */
export function beginAsking({ run, inbox }: Steps, note: string): void {
  run.question = howToDecide(workflowInfo().workflowId);
  run.enter('needs a decision', note);
  inbox.isAsking = true;
}

export function endAsking({ run, inbox }: Steps): void {
  inbox.stopAsking();
  run.question = undefined;
}

/** The one line that a run that asks shows on the UI's first page, which has nothing but timers and activities. */
export function asked(note: string): string {
  return summary(`needs a decision (update "decide"): ${note}`);
}

function howToDecide(workflowId: string): string {
  return [
    'Send the update `decide` to this run (*More Actions → Send an Update*), with one of these as its input:',
    [
      '- `{"action":"resubmit"}` submits again; if a task was bought already, that costs once more',
      '- `{"action":"adopt","taskId":"…"}` takes the task that you have found at the API',
      '- `{"action":"fail"}` ends this run',
    ].join('\n'),
    `Or on a command line: \`npx darkroom decide ${workflowId} resubmit\` (from a clone: \`npm run starter -- decide …\`)`,
  ].join('\n\n');
}
