import { CancellationScope, condition, isCancellation, sleep } from '@temporalio/workflow';
import { NO_USAGE } from '../../api/records/usage.ts';
import { summary } from './activities.ts';
import { GenerationEnd } from './failure.ts';
import type { Steps } from './generation.ts';
import type { SubmitEnd } from './submit.ts';

/**
 * A task that this run has heard of and does not hold: of a submit that was given up, as a rule. It is taken before
 * anything is bought; while its record cannot be read nothing is.
 *
 * @returns undefined where there is none
 * @throws GenerationEnd where no record can be read within the policy's deadline
 */
export async function takeWhatCame({ run, plan, evidence }: Steps): Promise<SubmitEnd | undefined> {
  // The first submit of a run looks itself for what earlier runs have bought, and waits for that as for a held task.
  if (run.attempts.length === 0 && run.resolvedUnknowns.length === 0) return undefined;
  const until = Date.now() + plan.policy.deadline;
  for (;;) {
    const found = await evidence.look();
    if (found !== undefined) return taken(found);
    const { doubt } = evidence;
    if (doubt === undefined) return undefined;
    if (Date.now() >= until)
      throw new GenerationEnd('SUBMISSION_UNKNOWN', `nothing is bought again: ${doubt}`);
    run.enter('submitting', `before another submit: ${doubt}`);
    const pause = Math.min(evidence.nextAt, until) - Date.now();
    await sleep(Math.max(1, pause), {
      summary: summary('wait for the record of a task that may be this one'),
    });
  }
}

/**
 * Submits, again and again where the policy paces refusals in place, unless the task of a submit that was given up comes
 * meanwhile: then nothing more is sent. What a request in flight buys is taken all the same.
 */
export async function unlessFound(steps: Steps, submit: () => Promise<SubmitEnd>): Promise<SubmitEnd> {
  if (steps.run.resolvedUnknowns.length === 0) return await submit();
  const scope = new CancellationScope();
  const search = { isOver: false, found: undefined as string | undefined }; // set below
  const watching = watch(steps, search, () => scope.cancel());
  try {
    return await scope.run(submit);
  } catch (error) {
    if (search.found === undefined || !isCancellation(error)) throw error;
    return taken(search.found);
  } finally {
    search.isOver = true;
    await watching;
  }
}

/** Never throws: the run's cancellation is the submit's to tell. */
async function watch(
  { evidence }: Steps,
  search: { isOver: boolean; found: string | undefined },
  onFound: () => void,
): Promise<void> {
  try {
    while (!search.isOver && search.found === undefined) {
      const isNeeded = (): boolean => search.isOver || evidence.isDue;
      const pause = evidence.nextAt - Date.now();
      if (pause > 0 && Number.isFinite(pause)) await condition(isNeeded, pause);
      else await condition(isNeeded);
      if (search.isOver) return;
      search.found = await evidence.look();
    }
    if (!search.isOver) onFound();
  } catch (error) {
    if (!isCancellation(error)) throw error;
  }
}

function taken(taskId: string): SubmitEnd {
  return { kind: 'accepted', taskId, usage: NO_USAGE, adopted: true };
}
