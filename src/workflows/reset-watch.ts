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

  /** The end, or `RESET`: once for each Reset since the watch was made. */
  async until<T>(end: Promise<T>): Promise<T | typeof RESET> {
    let isOver = false;
    const isReset = (): boolean => seedNow() !== this.#seed;
    const reset = CancellationScope.nonCancellable(() => condition(() => isOver || isReset()));
    try {
      return await Promise.race([end, reset.then((): typeof RESET => RESET)]);
    } finally {
      isOver = true;
      this.#seed = seedNow();
    }
  }
}

/** Another array with each seed. */
function seedNow(): readonly number[] {
  return getActivator().randomnessSeed;
}
