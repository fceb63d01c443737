import type { TaskEnd } from '../contract/tasks/task-look.ts';
import type { Troubles } from './troubles.ts';

/** So many tasks in a row have to end without any event until their successors are looked at sooner. */
const MISSED = 3;
/** And so many until people are told: other receivers of the workspace get a part of the events. */
const ENOUGH = 5;
/** Without a receiver in this process: it hears of an event only where that comes before the look that finds the end. */
const ENOUGH_ELSEWHERE = 20;

/**
 * Without a receiver in this process, and while events arrive, a task counts where nobody has looked at it for so long
 * (milliseconds) before its end was found: of one that is looked at all the time, the event may just be on its way.
 * Where none arrive, all are looked at all the time, and each counts.
 */
const UNSEEN = 10_000;

/** Knows whether the webhooks of a workspace arrive. */
export class WebhookWatch {
  readonly #troubles: Troubles;
  readonly #hasReceiver: boolean;
  /** Tasks seen ended since the last event, by workspace; none for those of which no event has come. */
  readonly #missed = new Map<string, number>();
  /** When the last event has come (milliseconds since the epoch), by workspace. */
  readonly #heard = new Map<string, number>();

  /** @param hasReceiver whether events come to this process */
  constructor(troubles: Troubles, hasReceiver: boolean) {
    this.#troubles = troubles;
    this.#hasReceiver = hasReceiver;
  }

  /** A record says that a task has ended. */
  ended(workspace: string, { age, openAt = 0, told }: TaskEnd): void {
    if (told) return this.heard(workspace);
    if (!this.#hasReceiver && this.arrive(workspace) && age - openAt < UNSEEN) return;
    const count = (this.#missed.get(workspace) ?? 0) + 1;
    this.#missed.set(workspace, count);
    if (count < this.#enough) return;
    const reason = `${count} tasks have ended since the last one; results come by polling, later. Check the endpoint in the API's dashboard: its URL, its secret, whether it is enabled`;
    this.#troubles.failed('webhooks', { workspace, reason });
  }

  /** A signed event has come. */
  heard(workspace: string): void {
    this.#heard.set(workspace, Date.now());
    this.#missed.delete(workspace);
    this.#troubles.worked('webhooks', workspace);
  }

  /** Whether events have come, and none was missed lately. */
  arrive(workspace: string): boolean {
    return this.#heard.has(workspace) && (this.#missed.get(workspace) ?? 0) < MISSED;
  }

  /** Tasks that have ended since the last event, when that came, and whether they are so many that something is wrong. */
  report(workspace: string): { missed: number; lastHeard: number | undefined; isMissing: boolean } {
    const missed = this.#missed.get(workspace) ?? 0;
    return { missed, lastHeard: this.#heard.get(workspace), isMissing: missed >= this.#enough };
  }

  get #enough(): number {
    return this.#hasReceiver ? ENOUGH : ENOUGH_ELSEWHERE;
  }
}
