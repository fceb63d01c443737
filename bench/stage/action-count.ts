import { setTimeout as sleep } from 'node:timers/promises';

/** Events of created tasks are looked into for some seconds; so long nothing may be counted before a count is whole (ms). */
const QUIET = 4_000;

/** The server's own count of actions, by what was done: the one that Temporal Cloud's bill goes by. */
export class ActionCount {
  readonly #metricsUrl: string;
  readonly #namespace: string;

  constructor(metricsUrl: string, namespace: string) {
    this.#metricsUrl = metricsUrl;
    this.#namespace = namespace;
  }

  /** @returns the actions of that work, and of what it sets off, by their kinds */
  async of(work: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
    const before = await this.#read();
    await work();
    const after = await this.#untilQuiet();
    const used = [...after].map(([kind, count]): [string, number] => [kind, count - (before.get(kind) ?? 0)]);
    return new Map(used.filter(([, count]) => count > 0));
  }

  async #untilQuiet(): Promise<ReadonlyMap<string, number>> {
    for (let last = await this.#read(), since = Date.now(); ; ) {
      await sleep(200);
      const now = await this.#read();
      if (total(now) !== total(last)) since = Date.now();
      last = now;
      if (Date.now() - since >= QUIET) return now;
    }
  }

  async #read(): Promise<ReadonlyMap<string, number>> {
    const answer = await fetch(this.#metricsUrl);
    const counts = new Map<string, number>();
    for (const line of (await answer.text()).split('\n')) {
      const [, labels = '', count] = /^action\{(.*)\} (\S+)$/.exec(line) ?? [];
      if (count === undefined || !labels.includes(`namespace="${this.#namespace}"`)) continue;
      const kind = /action_type="(?:grpc_|command_)?([^"]*)"/.exec(labels)?.[1] ?? '';
      counts.set(kind, (counts.get(kind) ?? 0) + Number(count));
    }
    return counts;
  }
}

export function total(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
