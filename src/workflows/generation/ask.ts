import { condition } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import type { Steps } from './generation.ts';

/**
 * Waits for a person's decision, or for `resolved` to become true without one. The run stays in the state
 * `needs a decision`, which operators search by.
 */
export async function askPerson(
  { run, inbox }: Steps,
  note: string,
  resolved: () => boolean = () => false,
): Promise<Decision | undefined> {
  run.enter('needs a decision', note);
  inbox.isAsking = true;
  try {
    await condition(() => inbox.decision !== undefined || resolved());
    return inbox.decision;
  } finally {
    inbox.stopAsking();
    // What was decided is being done. The search attribute follows with the next state, so that history stays true.
    run.state = 'reconciling';
  }
}
