import { workflowInfo } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import { commandToDecide } from '../command-to-decide.ts';
import { summary } from './activities.ts';
import { inline } from './details.ts';
import type { Steps } from './generation.ts';
import type { GenerationRun } from './run.ts';

/** From now on a decision is accepted, and what to send is shown. */
export function beginAsking({ run, inbox }: Steps, note: string): void {
  run.question = howToDecide(run, workflowInfo().workflowId);
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

const EFFECTS: Readonly<Record<Decision['action'], string>> = {
  resubmit: '`{"action":"resubmit"}` submits again; if a task was bought already, that costs once more',
  adopt: '`{"action":"adopt","taskId":"…"}` takes the task that you have found at the API',
  fail: '`{"action":"fail"}` ends this run',
};

function howToDecide({ request: { adoptOnly }, decisions }: GenerationRun, workflowId: string): string {
  const example = adoptOnly === undefined ? 'resubmit' : 'adopt --task …';
  return [
    ...(adoptOnly === undefined ? [] : [`Nothing may be bought for it: ${inline(adoptOnly.message)}`]),
    'Send the update `decide` to this run (*More Actions → Send an Update*), with one of these as its input:',
    decisions.map((action) => `- ${EFFECTS[action]}`).join('\n'),
    commandToDecide(workflowId, example),
  ].join('\n\n');
}
