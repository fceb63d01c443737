import type { Client } from '@temporalio/client';
import type { Following } from '../../client/following/run-follower.ts';
import { ownProgram } from '../../package/own-command.ts';
import { isPolled, polledQueues } from '../../temporal/pollers.ts';
import { NoWorker } from '../failures/no-worker.ts';

/** Why a run does not answer, and what to do: nobody works on its task queue, or not just now. */
export async function describeSilence(client: Client, workflowId: string): Promise<string> {
  const { taskQueue } = await client.workflow.getHandle(workflowId).describe();
  return (await isPolled(client, taskQueue))
    ? `no worker answers on task queue ${taskQueue}: has it been stopped just now? To start one:\n  ${ownProgram('worker')}`
    : await nobodyPolls(client, taskQueue);
}

/** A query that is not answered for so long (milliseconds): perhaps no worker is there. */
const PATIENCE = 3_000;

const AWAY = 'Temporal does not answer; what was started goes on, and is followed again when it does';

/** Tells once why a followed run does not answer, and again after an answer. */
export class Silence {
  readonly #client: Client;
  readonly #workflowId: string;
  #isNamed = false;

  constructor(client: Client, workflowId: string) {
    this.#client = client;
    this.#workflowId = workflowId;
  }

  /** @returns whether the run is silent, and why where that was not told yet */
  async check(following: Following<unknown>): Promise<{ isSilent: boolean; why?: string }> {
    const { silentSince = Infinity, unheardSince = Infinity } = following;
    const isSilent = Date.now() - Math.min(silentSince, unheardSince) >= PATIENCE;
    const isNew = isSilent && !this.#isNamed;
    this.#isNamed = isSilent;
    const why = isNew ? await describeSilence(this.#client, this.#workflowId).catch(() => AWAY) : undefined;
    return { isSilent, ...(why === undefined ? {} : { why }) };
  }
}

/**
 * For what only a worker can do for an open run, before it is asked for: the server would wait for one without a word.
 *
 * @throws NoWorker where no worker polls the run's task queue
 */
export async function needWorker(client: Client, workflowId: string): Promise<void> {
  const { taskQueue, closeTime } = await client.workflow.getHandle(workflowId).describe();
  if (closeTime === undefined && !(await isPolled(client, taskQueue)))
    throw new NoWorker(await nobodyPolls(client, taskQueue));
}

async function nobodyPolls(client: Client, taskQueue: string): Promise<string> {
  const polled = await polledQueues(client);
  const others =
    polled.length === 0 ? '' : ` (polled ${polled.length === 1 ? 'is' : 'are'}: ${polled.join(', ')})`;
  return [
    `no worker polls task queue ${taskQueue} in namespace ${client.options.namespace}: what is there waits for one`,
    `  to start one: DARKROOM_TASK_QUEUE=${taskQueue} ${ownProgram('worker')}`,
    `  or, if your workers poll another queue, set DARKROOM_TASK_QUEUE to that one here${others}`,
  ].join('\n');
}
