import type { GenerationRequest, GenerationResult } from '../../contract/generation.ts';
import { goOn } from '../go-on.ts';
import { keepOrder } from '../in-order.ts';
import { ask } from './ask.ts';
import { begin, runOf } from './begin.ts';
import { lookBack, lookingBack } from './earlier-runs.ts';
import { afterError, bill, conclude } from './end.ts';
import { handleMessages } from './handlers.ts';
import { park } from './park.ts';
import { reconcile } from './reconcile.ts';
import { show } from './show.ts';
import type { Stages } from './stage.ts';
import type { Run, State } from './state.ts';
import { store } from './store.ts';
import { submit } from './submit.ts';
import { withHeard } from './transitions.ts';
import { wait } from './wait.ts';

/**
 * Workflow `generation`: one paid task, charged once, its result stored. A run is one value that goes from stage to stage;
 * what follows a failure is the policy's table. Fails with an ApplicationFailure whose type is the API's code or ours.
 *
 * @param carried by a run whose history had become long
 */
export async function generation(request: GenerationRequest, carried?: State): Promise<GenerationResult> {
  const order = keepOrder();
  let state = begin(request, carried);
  const run = runOf(request, () => state, order);
  let changes = 0;
  const become = (next: State): void => {
    const before = state;
    state = next;
    changes += 1;
    show(run, before, state, changes);
  };
  handleMessages(run, (heard) => {
    // Thousands of tasks' events may come: nothing that is seen hangs on them.
    if (heard.ended !== state.heard.ended) state = { ...state, heard };
    else if (heard !== state.heard) become({ ...state, heard });
  });
  show(run, undefined, state);
  while (state.stage.at !== 'done' || state.stage.charged === undefined) {
    if (run.resets.isReset) become(lookingBack(state, run));
    if (run.isToContinue()) {
      order.hearAll();
      await goOn<typeof generation>(request, state);
    }
    const next = await step(state.stage.at, state.stage, run).catch((error: unknown) =>
      afterError(run, { ...state, looksBack: undefined }, error),
    );
    become(withHeard(next, state.heard));
  }
  return conclude(state, state.stage);
}

/** Each waits for what its stage waits for, and returns what is true next. */
const STAGES: { [At in keyof Stages]: (state: State, stage: Stages[At], run: Run) => Promise<State> } = {
  submit, // wait | park | reconcile | submit | done
  park, // park | submit | done
  reconcile, // reconcile | wait | ask | submit | done
  ask, // ask | wait | submit | done
  wait, // wait | store | submit | park | ask | done
  store, // store | done
  done: bill,
};

async function step<At extends keyof Stages>(at: At, stage: Stages[At], run: Run): Promise<State> {
  const state = run.now();
  if (state.looksBack === true) return await lookBack(state, run); // the same stage, or with the task that was found
  return await STAGES[at](state, stage, run);
}
