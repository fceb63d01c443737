import { CancellationScope, CancelledFailure, condition } from '@temporalio/workflow';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { cutLabel } from '../../contract/summary.ts';
import { passCancellationOn } from '../pass-cancellation-on.ts';
import { tellBatch } from '../tell-parent.ts';
import { advanced, isOver, whatGoesOn } from './advance.ts';
import { follow } from './follow.ts';
import { toldOf } from './projections.ts';
import { QUESTIONS, questionOf } from './questions.ts';
import type { Run } from './run.ts';
import { seek } from './seek.ts';
import { start } from './start.ts';
import { type Change, idOf, isRunning, type State } from './state.ts';
import { unblock } from './unblock.ts';

/** A question has a timer, so that it is seen; when it fires, the run looks whether its version is outdated (milliseconds). */
const SHOWN_FOR = 24 * 60 * 60_000;

/**
 * Works at the steps side by side until all have ended, also where one is cancelled, or until the run is to go on in a
 * new one.
 *
 * @param show called with everything that has become of the pipeline
 * @returns whether all have ended
 * @throws what one of them has thrown, once those that run have ended: a cancellation is for the generations
 */
export async function workAtSteps(run: Run, show: () => void): Promise<boolean> {
  return await passCancellationOn(
    () => mayRun(run.state),
    () => work(run, show),
  );
}

async function work(run: Run, show: () => void): Promise<boolean> {
  const worked = new Set<string>();
  const workAt = async (path: string): Promise<void> => {
    worked.add(path);
    try {
      run.change(await next(run, path));
    } catch (error) {
      run.broken.push(error);
    } finally {
      worked.delete(path);
    }
  };
  for (;;) {
    run.change(advanced);
    show();
    if (run.resets.isReset) {
      run.resets.see();
      tellBatch(toldOf(run.state)); // it may go by what the run before has told
    }
    if (isOver(run.state)) return true;
    if (!run.isStopping) {
      // The next run would not know of a cancellation of this one.
      if (run.mustContinueAsNew()) return false;
      for (const path of whatGoesOn(run.state)) if (!worked.has(path)) void workAt(path);
    } else if (worked.size === 0) throw run.broken[0] ?? new CancelledFailure('the pipeline was cancelled');
    const { state } = run;
    await CancellationScope.nonCancellable(async () => {
      await condition(
        () =>
          run.state !== state ||
          run.resets.isReset ||
          (run.isStopping ? worked.size === 0 : run.mustContinueAsNew()),
      );
      await atRest();
    });
  }
}

async function next(run: Run, path: string): Promise<Change> {
  const stage: StepStage = run.state.steps.get(path) ?? { at: 'fanned' };
  switch (stage.at) {
    case 'blocked':
      return await unblock(run, path, stage); // done (skipped) | approval | fanned | seeking
    case 'approval':
    case 'held':
      return await ask(run, path); // a person's answer
    case 'seeking':
      return await seek(run, path); // starting | following | done
    case 'starting':
      return await start(run, path, stage); // following | done
    case 'following':
      return await follow(run, path); // done | held | starting
    case 'fanned':
    case 'done':
      return (state) => state;
    default:
      return stage satisfies never;
  }
}

/** Workflow ids of the generations that run, or may. */
function mayRun(state: State): string[] {
  return [...state.steps].flatMap(([path, stage]) => {
    const isSought = stage.at === 'seeking' && stage.place === 'looking';
    return isSought || isRunning(state, path) ? idOf(state, path) : [];
  });
}

/**
 * Waits until everything has run that can run now. Conditions are looked at in the middle of what an event has set off:
 * what is handed on to the next run must not be half of it.
 */
async function atRest(): Promise<void> {
  let looks = 0;
  await condition(() => {
    looks += 1;
    return looks > 1; // the first look is made at once
  });
}

/** Waits until a person has said what is to become of a step: the run's first page has timers and activities alone. */
async function ask(run: Run, name: string): Promise<Change> {
  const stage = run.state.steps.get(name);
  const question = questionOf(run.state, name);
  if (question !== undefined) {
    const { state, updates } = QUESTIONS[question.kind];
    const why = question.kind === 'held' ? `: ${question.why}` : '';
    const summary = cutLabel(`${state} (update "${updates.join('" or "')}"): step ${name}${why}`);
    const isOver = (): boolean => run.isStopping || run.state.steps.get(name) !== stage;
    while (!(await condition(isOver, SHOWN_FOR, { summary })));
  }
  return (state) => state;
}
