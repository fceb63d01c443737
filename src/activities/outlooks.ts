import { findModel } from '../api/models/registry.ts';
import type { TaskEnd } from '../contract/tasks/task-look.ts';
import type { Outlook } from '../policy/look-pace.ts';
import type { ApiAccess } from './api-access.ts';
import type { WebhookWatch } from './webhook-watch.ts';

/** So many of a model's latest tasks are remembered, and fewer than the least tell nothing. */
const REMEMBERED = 32;
const LEAST = 3;
/**
 * Of them, the part that may have ended before the first look, and how much later that comes: results are then about a
 * tenth of a task's time late, for a fifth of the looks of a poller at 500 ms.
 */
const FIRST = { part: 0.15, margin: 1.1 };
/** The same where webhooks arrive. */
const NEARLY_ALL = { part: 0.9, margin: 1.5 };
/** The same of a model of which too few are known: so many times what its tasks typically take. */
const UNKNOWN = 6;
/** What a task that had ended by its first look has taken of that time, it is assumed: looks get earlier until one is early. */
const ASSUMED = 0.85;

/** Looks are no farther apart than this makes of a task's age at the last one, or of the time that is expected. */
const LATE = 3;

interface Made {
  workspace: string;
  model: string;
}

/** What this process has learned of how and when tasks end: the pace of looking at the next ones goes by it. */
export class Outlooks {
  readonly #webhooks: WebhookWatch;
  readonly #workspaces: ApiAccess['workspaces'];
  /** How long tasks have taken, in milliseconds, the latest last, by model. */
  readonly #times = new Map<string, number[]>();

  constructor(webhooks: WebhookWatch, workspaces: ApiAccess['workspaces']) {
    this.#webhooks = webhooks;
    this.#workspaces = workspaces;
  }

  of({ workspace, model }: Made): Outlook {
    const webhooks = this.#takesWebhooks(workspace) && this.#webhooks.arrive(workspace);
    const expected = webhooks
      ? (this.#timeOf(model, NEARLY_ALL) ?? typicalTime(model))
      : this.#timeOf(model, FIRST);
    return { webhooks, ...(expected === undefined ? {} : { expected }) };
  }

  /** When that part of the model's latest tasks had ended, and a margin later. */
  #timeOf(model: string, { part, margin }: typeof FIRST): number | undefined {
    const times = this.#times.get(model) ?? [];
    if (times.length < LEAST) return undefined;
    const time = times.toSorted((a, b) => a - b)[Math.floor(part * times.length)] ?? 0;
    return Math.round(margin * time);
  }

  /** A look has found that a task has ended which its run has waited for. */
  ended(made: Made, end: TaskEnd): void {
    const { workspace, model } = made;
    if (this.#takesWebhooks(workspace)) this.#webhooks.ended(workspace, end);
    const { age, openAt, told } = end;
    const expected = this.#timeOf(made.model, FIRST) ?? Infinity;
    // A look that came that late, by an outage, tells nothing of how long the task took.
    if (!told && age > LATE * (openAt ?? expected)) return;
    const took = told ? age : openAt === undefined ? ASSUMED * age : (openAt + age) / 2;
    const times = this.#times.get(model) ?? [];
    times.push(took);
    if (times.length > REMEMBERED) times.shift();
    this.#times.set(model, times);
  }

  /** Without a secret no webhook is taken. */
  #takesWebhooks(workspace: string): boolean {
    return this.#workspaces.get(workspace)?.takesWebhooks === true;
  }
}

function typicalTime(model: string): number | undefined {
  const typical = findModel(model)?.typicalSeconds;
  return typical === undefined ? undefined : 1_000 * UNKNOWN * typical;
}
