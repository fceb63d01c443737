import { findModel } from '../../src/api/models/registry.ts';
import { toWire } from '../../src/api/wire.ts';
import { isUp, type Stage } from './stage.ts';

/** What the tasks of the other system say that they belong to, in the emulator's ledger. */
const OWNER = 'foreign/';
const PATIENCE = 10_000;

export const isForeign = (workflow: string | null): boolean => workflow?.startsWith(OWNER) === true;

/** Another system that buys in the same workspace, evenly: its tasks are nobody's here, and their events come all the same. */
export class ForeignTasks {
  #timer: NodeJS.Timeout | undefined;
  #count = 0;

  /** @param perSecond purchases */
  start(stage: Stage, perSecond: number): void {
    const { emulator, apiKey } = stage;
    this.#timer = setInterval(() => {
      // Who waits for an answer buys nothing else.
      if (isUp(stage, 0)) void this.#buy({ baseUrl: emulator.baseUrl, apiKey });
    }, 1_000 / perSecond);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** How many it has tried to buy. */
  get count(): number {
    return this.#count;
  }

  async #buy({ baseUrl, apiKey }: { baseUrl: string; apiKey: string }): Promise<void> {
    const name = `${OWNER}${this.#count}`;
    this.#count += 1;
    const model = findModel(this.#count % 2 === 0 ? 'image-l' : 'image-s');
    if (model === undefined) throw new TypeError('the registry has both');
    const { path, body } = toWire(model, { prompt: `${name}: ${'something long and foreign '.repeat(20)}` });
    try {
      const answer = await fetch(`${baseUrl}/generation/${path}`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${apiKey}`,
          'content-type': 'application/json',
          'x-darkroom-workflow': name,
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(PATIENCE),
      });
      await answer.arrayBuffer();
    } catch {
      // Its answers get lost as ours do; it does not look after them.
    }
  }
}
