import { condition } from '@temporalio/workflow';
import type { Decision } from '../../contract/generation.ts';
import type { GenerationRun } from './run.ts';

/**
 * Waits for a person's decision, or for `resolved` to become true without one. The run stays in the state
 * `needs a decision`, which operators search by.
 */
export async function askPerson(
  run: GenerationRun,
  note: string,
  resolved: () => boolean = () => false,
): Promise<Decision | undefined> {
  run.enter('needs a decision', note);
  run.asked = true;
  try {
    await condition(() => run.decision !== undefined || resolved());
    return run.decision;
  } finally {
    run.asked = false;
    run.decision = undefined;
    // What was decided is being done. The search attribute follows with the next state, so that history stays true.
    run.state = 'reconciling';
  }
}
