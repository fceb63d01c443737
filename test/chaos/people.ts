import { setTimeout as delay } from 'node:timers/promises';
import type { Decision, Progress } from '../../src/contract/generation.ts';
import {
  approveUpdate,
  checkNowUpdate,
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
/** How a refusal to adopt names who has the task. */
const HELD_BY = /is the one of (\S+), where it counts/;
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
    const query = `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running' AND DarkroomState IN ('needs a decision', 'waiting for approval', 'storing is held up')`;
    const asking = new Set<string>();
    for await (const { workflowId, type } of client.workflow.list({ query })) {
      if (type === 'pipeline') await this.#answerPipeline(workflowId).catch(() => undefined);
      else if (await this.#answerGeneration(workflowId).catch(() => this.#askedAt.has(workflowId)))
        asking.add(workflowId);
    }
    for (const workflowId of this.#askedAt.keys())
      if (!asking.has(workflowId)) this.#askedAt.delete(workflowId);
  }

  /** Whether it asks for a decision that is this person's. */
  async #answerGeneration(workflowId: string): Promise<boolean> {
    const progress = await this.#stage.client.workflow.getHandle(workflowId).query(progressQuery);
    if (isLeftToPeople(progress)) {
      await this.#checkNow(workflowId);
      return false;
    }
    if (!workflowId.includes(ASKING) && !hasLostEvidence(progress)) return false;
    await this.#answer(workflowId, progress);
    return true;
  }

  async #checkNow(workflowId: string): Promise<void> {
    await this.#stage.client.workflow.getHandle(workflowId).executeUpdate(checkNowUpdate);
    this.#log.happened('person has it tried again', { workflowId });
    this.#log.count('person.check-now');
  }

  /** Only when the API has been well for a while: before, its books do not tell what is on its way. */
  async #answer(workflowId: string, { attempts }: Progress): Promise<void> {
    const { client, emulator } = this.#stage;
    const since = this.#askedAt.get(workflowId) ?? Date.now();
    this.#askedAt.set(workflowId, since);
    if (!isUp(this.#stage, SETTLED_AFTER) || Date.now() - since < SETTLED_AFTER) return;
    const handle = client.workflow.getHandle(workflowId);
    const known = new Set(attempts.map(({ taskId }) => taskId));
    const tasks = (await emulator.tasks()).filter((task) => isOfUse(task) && !known.has(task.id));
    const own = tasks.find((task) => task.workflow === workflowId);
    const decide = async (decision: Decision): Promise<void> => {
      await handle.executeUpdate(decideUpdate, { args: [decision] });
      this.#log.happened('person decided', { workflowId, ...decision });
      this.#log.count(`person.${decision.action}`);
    };
    if (own === undefined) return await decide({ action: 'resubmit' });
    try {
      await decide({ action: 'adopt', taskId: own.id });
    } catch (error) {
      // An equal submit may have been granted it: then that one's own task is free, if it has bought one.
      const holder = HELD_BY.exec(messageOf(error))?.[1];
      if (holder === undefined) throw error;
      const left = tasks.find((task) => task.workflow === holder && task.id !== own.id);
      await decide(left === undefined ? { action: 'resubmit' } : { action: 'adopt', taskId: left.id });
    }
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

/** The storm kills workers, which looks as if a file had: nobody but a person has it tried again. */
function isLeftToPeople({ state, trouble }: Progress): boolean {
  return state === 'storing' && trouble?.includes('not tried again before checkNow') === true;
}

/** The storm terminates `unclaimed-tasks`: whoever looked for a task then asks, whatever its policy says. */
function hasLostEvidence({ trouble }: Progress): boolean {
  return trouble?.includes('unclaimed-tasks') === true;
}

function isOfUse({ status, vanished }: { status: string; vanished: boolean }): boolean {
  return !vanished && status !== 'FAILED' && status !== 'CANCELED';
}

/** Of a refused update the reason stands in the cause. */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  return `${error.message} ${messageOf(error.cause)}`;
}
