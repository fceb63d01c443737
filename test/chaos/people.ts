import { setTimeout as delay } from 'node:timers/promises';
import type { Progress } from '../../src/contract/generation.ts';
import {
  approveUpdate,
  decideUpdate,
  pipelineProgressQuery,
  progressQuery,
  resolveUpdate,
} from '../../src/contract/messages.ts';
import type { DisturbanceLog } from './disturbance-log.ts';
import { ASKING } from './fault-rules.ts';
import { isUp, type Stage, TASK_QUEUE } from './stage.ts';

/** Between two looks at who waits, in milliseconds. */
const EVERY = 1_000;
/** A submit that the API got before it hung is a task only after that. */
const SETTLED_AFTER = 6_000;
/** How often a person has a held step tried again. */
const RETRIES = 2;

/**
 * The people whom runs ask. Those that are meant to ask (their names say so) are answered with what the service's own
 * books tell: "adopt" where they have bought a task, else "resubmit". Nobody else is answered: whoever asks then, waits.
 * Steps are approved; one that is held is tried again (a task of it that
 * hangs is brought to its end before), and then given up.
 */
export class People {
  readonly #stage: Stage;
  readonly #log: DisturbanceLog;
  readonly #askedAt = new Map<string, number>();
  readonly #retries = new Map<string, number>();
  #isThere = true;
  #rounds: Promise<void> = Promise.resolve();

  constructor(stage: Stage, log: DisturbanceLog) {
    this.#stage = stage;
    this.#log = log;
  }

  start(): void {
    this.#rounds = this.#work();
  }

  async stop(): Promise<void> {
    this.#isThere = false;
    await this.#rounds;
  }

  async #work(): Promise<void> {
    while (this.#isThere) {
      // Temporal or the worker may be away: they try again, as people do.
      await this.#round().catch(() => undefined);
      await delay(EVERY);
    }
  }

  async #round(): Promise<void> {
    const { client } = this.#stage;
    const query = `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running' AND DarkroomState IN ('needs a decision', 'waiting for approval')`;
    const asking = new Set<string>();
    for await (const { workflowId, type } of client.workflow.list({ query })) {
      if (type === 'pipeline') await this.#answerPipeline(workflowId).catch(() => undefined);
      else if (workflowId.includes(ASKING)) {
        asking.add(workflowId);
        await this.#answer(workflowId).catch(() => undefined);
      }
    }
    for (const workflowId of this.#askedAt.keys())
      if (!asking.has(workflowId)) this.#askedAt.delete(workflowId);
  }

  /** Only when the API has been well for a while: before, its books do not tell what is on its way. */
  async #answer(workflowId: string): Promise<void> {
    const { client, emulator } = this.#stage;
    const since = this.#askedAt.get(workflowId) ?? Date.now();
    this.#askedAt.set(workflowId, since);
    if (!isUp(this.#stage, SETTLED_AFTER) || Date.now() - since < SETTLED_AFTER) return;
    const handle = client.workflow.getHandle(workflowId);
    const { attempts }: Progress = await handle.query(progressQuery);
    const known = new Set(attempts.map(({ taskId }) => taskId));
    const tasks = await emulator.tasks();
    const own = tasks.find((task) => task.workflow === workflowId && isOfUse(task) && !known.has(task.id));
    const decision =
      own === undefined ? ({ action: 'resubmit' } as const) : ({ action: 'adopt', taskId: own.id } as const);
    await handle.executeUpdate(decideUpdate, { args: [decision] });
    this.#log.happened('person decided', { workflowId, ...decision });
    this.#log.count(`person.${decision.action}`);
  }

  async #answerPipeline(workflowId: string): Promise<void> {
    const handle = this.#stage.client.workflow.getHandle(workflowId);
    const { steps } = await handle.query(pipelineProgressQuery);
    for (const [step, { status }] of Object.entries(steps)) {
      if (status === 'approval') {
        await handle.executeUpdate(approveUpdate, { args: [{ step }] });
        this.#log.count('person.approve');
      } else if (status === 'held') {
        const tries = this.#retries.get(workflowId) ?? 0;
        const action = tries < RETRIES ? 'retry' : 'fail';
        await this.#bringToEnd(`${workflowId}/${step}`);
        await handle.executeUpdate(resolveUpdate, { args: [{ step, action }] });
        this.#retries.set(workflowId, tries + 1);
        this.#log.happened('person resolved', { workflowId, step, action });
        this.#log.count(`person.${action}`);
      }
    }
  }

  /** A task that hangs would be adopted again, and be overdue again. */
  async #bringToEnd(workflowId: string): Promise<void> {
    const { emulator } = this.#stage;
    for (const task of await emulator.tasks()) {
      const hangs =
        task.workflow === workflowId && task.fate.kind === 'hang' && task.status === 'IN_PROGRESS';
      if (hangs) await emulator.finishTask(task.id);
    }
  }
}

function isOfUse({ status, vanished }: { status: string; vanished: boolean }): boolean {
  return !vanished && status !== 'FAILED' && status !== 'CANCELED';
}
