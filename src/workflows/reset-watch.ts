import { CancellationScope, condition } from '@temporalio/workflow';
import { getActivator } from '@temporalio/workflow/lib/global-attributes.js';

/** The run was Reset before the end came. */
export const RESET = Symbol('Reset');

/**
 * Tells workflow code that its run was Reset: then its random numbers have another seed, in a replay from the same place
 * on, and no API of the SDK shows it otherwise.
 */
export class ResetWatch {
  #seed = seedNow();

  /** Whether it was Reset since the watch was made, or since the last Reset that was seen. */
  get isReset(): boolean {
    return seedNow() !== this.#seed;
  }

  /** Only a further Reset counts from here on. */
  see(): void {
    this.#seed = seedNow();
  }

  /** The end, or `RESET`: once for each Reset since the watch was made. */
  async until<T>(end: Promise<T>): Promise<T | typeof RESET> {
    let isOver = false;
    const reset = CancellationScope.nonCancellable(() => condition(() => isOver || this.isReset));
    try {
      return await Promise.race([end, reset.then((): typeof RESET => RESET)]);
    } finally {
      isOver = true;
      this.see();
    }
  }
}

/**
 * What a question comes to in this very run. Where that was Reset since it was asked, it is asked anew: an answer that the
 * history repeats was for the run before it.
 */
export async function askedInThisRun<T>(ask: () => Promise<T>): Promise<T> {
  for (;;) {
    const watch = new ResetWatch();
    const answer = await ask();
    if (!watch.isReset) return answer;
  }
}

/** Another array with each seed. */
function seedNow(): readonly number[] {
  return getActivator().randomnessSeed;
}
