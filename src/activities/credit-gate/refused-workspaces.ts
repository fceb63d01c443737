import type { Client } from '@temporalio/client';
import { submitAcceptedSignal } from '../../contract/messages.ts';
import { entityId } from '../../contract/workflow-ids.ts';

/** A gate is told at most this often (milliseconds). */
const PAUSE = 30_000;

/**
 * The workspaces for which this process saw a submit refused for want of credits. The next one that is accepted opens
 * their gate: some providers send that refusal by mistake. A workspace that was never refused costs nothing here.
 */
export class RefusedWorkspaces {
  readonly #temporal: Client;
  readonly #taskQueue: string;
  readonly #refused = new Set<string>();
  readonly #toldAt = new Map<string, number>();

  constructor(temporal: Client, taskQueue: string) {
    this.#temporal = temporal;
    this.#taskQueue = taskQueue;
  }

  refused(workspace: string): void {
    this.#refused.add(workspace);
  }

  /** Does not wait for Temporal, and never throws: the gate also finds out by itself. */
  accepted(workspace: string): void {
    if (!this.#refused.has(workspace)) return;
    const now = Date.now();
    if (now - (this.#toldAt.get(workspace) ?? -PAUSE) < PAUSE) return;
    this.#refused.delete(workspace);
    this.#toldAt.set(workspace, now);
    const gate = this.#temporal.workflow.getHandle(entityId('credit-gate', workspace, this.#taskQueue));
    gate.signal(submitAcceptedSignal).catch(() => undefined); // no gate: nobody is parked
  }
}
