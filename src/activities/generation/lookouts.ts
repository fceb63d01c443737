import QuickLRU from 'quick-lru';

/** Tasks that the API does not know any more, so many at once, are no coincidence. */
const MANY = 3;
/** Milliseconds in which they count as "at once". */
const AT_ONCE = 10 * 60_000;
/** So many of the tasks that were there are looked at. */
const CANARIES = 3;
/** A look at other tasks tells for so long how things are (milliseconds). */
const TELLS_FOR = 20_000;

type Answer = 'record' | 'not-found' | 'unavailable';

interface Workspace {
  /** The tasks whose records were there when somebody looked last. */
  readable: QuickLRU<string, true>;
  /** Those that were answered with 404 of late, and not found again since. */
  missing: QuickLRU<string, true>;
  told: { at: number; everything: boolean } | undefined;
}

/**
 * What this process hears of each workspace's tasks. One task that the API does not know is that task's trouble; when
 * tasks are gone that were there a moment ago, or many are, it is the key or the API, and nothing is to be bought
 * again for it.
 */
export class Lookouts {
  readonly #workspaces = new Map<string, Workspace>();

  /** An answer to a GET of a task's record. */
  heard(workspace: string, taskId: string, answer: Answer): void {
    const { readable, missing } = this.#of(workspace);
    if (answer === 'unavailable') return;
    const [now, before] = answer === 'record' ? [readable, missing] : [missing, readable];
    before.delete(taskId);
    if (!now.has(taskId)) now.set(taskId, true);
  }

  /** Whether a workspace's tasks are gone as a whole; looks at some that were there. */
  async isEverythingGone(workspace: string, look: (taskId: string) => Promise<Answer>): Promise<boolean> {
    const state = this.#of(workspace);
    if (state.told !== undefined && Date.now() - state.told.at <= TELLS_FOR) return state.told.everything;
    const latest = [...state.readable.entriesDescending()].slice(0, CANARIES);
    const others = latest.map(([taskId]) => taskId);
    const answers = await Promise.all(others.map(look));
    others.forEach((taskId, index) => this.heard(workspace, taskId, answers[index] ?? 'unavailable'));
    // Its size would count those from long ago as well.
    const missing = [...state.missing.keys()];
    const everything = !answers.includes('record') && missing.length >= MANY;
    state.told = { at: Date.now(), everything };
    return everything;
  }

  #of(workspace: string): Workspace {
    const known = this.#workspaces.get(workspace);
    if (known !== undefined) return known;
    const fresh: Workspace = {
      readable: new QuickLRU({ maxSize: 100 }),
      missing: new QuickLRU({ maxSize: 1_000, maxAge: AT_ONCE }),
      told: undefined,
    };
    this.#workspaces.set(workspace, fresh);
    return fresh;
  }
}
