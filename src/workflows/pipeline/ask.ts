import { condition } from '@temporalio/workflow';
import { cut } from '../../api/text/cut.ts';
import { ASKING, questionOf } from './projections.ts';
import type { Run } from './run.ts';
import type { Change } from './state.ts';

/** A question has a timer, so that it is seen; when it fires, the run looks whether its version is outdated (milliseconds). */
const SHOWN_FOR = 24 * 60 * 60_000;
/** A timer's line takes 200 bytes. */
const LONGEST_SUMMARY = 150;

/** Waits until a person has said what is to become of a step: the run's first page has timers and activities alone. */
export async function ask(run: Run, name: string): Promise<Change> {
  const stage = run.state.steps.get(name);
  const question = questionOf(run.state, name);
  if (question !== undefined) {
    const { state, update } = ASKING[question.kind];
    const why = question.kind === 'held' ? `: ${question.why}` : '';
    const summary = cut(`step ${name}: ${state} (${update})${why}`, LONGEST_SUMMARY);
    while (!(await condition(() => run.state.steps.get(name) !== stage, SHOWN_FOR, { summary })));
  }
  return (state) => state;
}
