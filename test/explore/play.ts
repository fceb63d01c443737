import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import type { GenerationCode } from '../../src/api/codes.ts';
import { startBatch } from '../../src/client/batch/start-batch.ts';
import { checkNowUpdate } from '../../src/contract/messages.ts';
import { DarkroomState, DarkroomTaskId } from '../../src/contract/search-attributes.ts';
import { DEFAULT_POLICY } from '../../src/policy/policy.ts';
import { Books } from './books.ts';
import { PlaceWatch } from './hooks.ts';
import { People } from './people.ts';
import { type Scene, type Start, WAITS } from './scenes.ts';
import type { Stage } from './stage.ts';

/** Between two looks at a workflow, and at what the scene itself waits for, in milliseconds. */
const EVERY = 800;
const OFTEN = 50;

/** What was done to a scene that the rule has to know of. Times in milliseconds since the epoch. */
export interface Done {
  /** Further purchases that somebody asked for. */
  wanted: { workflowId: string; at: number }[];
  /** Questions that were still asked after evidence had had its time. */
  asked: { workflowId: string; at: number }[];
  /** Until when answers that had left the API may have been swallowed. */
  swallowed: { from: number; to: number }[];
  /** When what was told may have been forgotten: an entity or a run is gone with what it knew. */
  forgottenAt: number[];
  /** Tasks whose ids stood in the histories of runs that are deleted. */
  forgottenTasks: Set<string>;
  /** Failures of our own that are honest after it. */
  mayFailWith: string[];
}

/** A scene at its place, while it is played. */
export class Play {
  readonly stage: Stage;
  readonly scene: Scene;
  readonly place: string;
  readonly starts: readonly Start[];
  readonly watch: PlaceWatch;
  readonly books: Books;
  readonly done: Done = {
    wanted: [],
    asked: [],
    swallowed: [],
    forgottenAt: [],
    forgottenTasks: new Set(),
    mayFailWith: [],
  };
  /** Workflows that acts have started besides. */
  readonly alsoStarted: string[] = [];
  /** Laid over the options of each start. */
  startOptions: object = {};
  readonly #people: People;
  readonly #isCleared = new AbortController();
  /** What the scene itself does, besides starting. */
  #besides: Promise<void> = Promise.resolve();

  /** @param policy laid over the scene's own */
  constructor(
    stage: Stage,
    scene: Scene,
    place: string,
    { held, policy }: { held?: string; policy?: object } = {},
  ) {
    this.stage = stage;
    this.scene = scene;
    this.place = place;
    const waits = scene.waits ?? Math.round(WAITS * stage.slowness);
    this.starts = scene.starts(place).map((start) => withPolicy(start, waits, policy));
    this.#people = new People(this);
    this.watch = new PlaceWatch(this.main.workflowId, held);
    stage.hooks.watch(place, this.watch);
    this.books = new Books(stage, place, this.done, waits);
    for (const rule of scene.faults?.({ workspace: place }) ?? []) stage.emulator.service().faults.add(rule);
  }

  /** What acts are about. */
  get main(): Start {
    const [main] = this.starts;
    if (main === undefined) throw new Error(`scene ${this.scene.name} starts nothing`);
    return main;
  }

  get #workflowIds(): string[] {
    return [...this.starts.map(({ workflowId }) => workflowId), ...this.alsoStarted];
  }

  get handle(): WorkflowHandle {
    return this.stage.client.workflow.getHandle(this.main.workflowId);
  }

  async begin(): Promise<void> {
    for (const start of this.starts) await this.start(start);
    const { isAdopted, isLookedAt } = this.scene;
    // Beside what is held meanwhile.
    if (isAdopted === true) this.#besides = this.#hand(this.main);
    if (isLookedAt === true) this.#besides = this.#look();
    this.#besides.catch(() => undefined); // what it has not done shows at its end
  }

  async start(start: Start, more: object = {}): Promise<void> {
    if (start.batch !== undefined) {
      const { workflowId, batch } = start;
      await startBatch(this.stage.client, { workflowId, taskQueue: this.stage.taskQueue, ...batch });
      return;
    }
    const { ownQueue, otherQueue } = this.stage;
    const isOwn = start.type === 'own';
    const taskQueue = start.isElsewhere === true ? otherQueue : this.stage.taskQueue;
    await this.stage.client.workflow.start(start.type, {
      taskQueue: isOwn ? ownQueue : taskQueue,
      workflowId: start.workflowId,
      workflowTaskTimeout: '4s',
      args: [isOwn ? { ...start.request, taskQueue } : start.request],
      ...this.startOptions,
      ...more,
    });
  }

  /** Settles when the scene itself does nothing more: the latest run is the one that its moments are of. */
  async untilBegun(): Promise<void> {
    await this.#besides;
  }

  /** Has the run look while its submit is open: a workflow task more, and a point more to Reset to. */
  async #look(): Promise<void> {
    await this.#until(() => this.watch.hasPassed('sent POST#1'));
    await this.handle.executeUpdate(checkNowUpdate).catch(() => undefined); // refused where it is over
  }

  /** Ends the first run where it holds a task, or has ended without one, starts another one that is told of it, and lets the task end. */
  async #hand(start: Start): Promise<void> {
    const { handle } = this;
    let runId = '';
    await this.#until(async () => {
      const run = await handle.describe();
      runId = run.runId;
      return run.status.name !== 'RUNNING' || run.searchAttributes[DarkroomTaskId.name] !== undefined;
    });
    await this.stage.client.workflow
      .getHandle(start.workflowId, runId)
      .terminate('the scene')
      .catch(() => undefined); // another one has come to its end
    await this.start({ ...start, request: { ...start.request, earlierRun: runId } });
    const { tasks, scheduler } = this.stage.emulator.service();
    for (const task of tasks.values())
      if (task.workspace === this.place)
        scheduler.force(task, { kind: 'complete' }, { finish: Date.now() + 500 });
  }

  async #until(check: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await check())) await delay(OFTEN, undefined, this.#isCleared);
  }

  /**
   * Follows everything to its end, as the people would who are asked.
   *
   * @returns whether it has one within so many milliseconds
   */
  async end(patience: number, isEnough?: AbortSignal): Promise<boolean> {
    const until = Date.now() + patience;
    const open = new Set(this.#workflowIds);
    let isBegun = false;
    const begun = (): void => {
      isBegun = true;
    };
    this.#besides.then(begun, begun);
    const goesOn = (): boolean => open.size > 0 && isEnough?.aborted !== true;
    while (goesOn()) {
      for (const workflowId of open)
        if ((await this.#isOver(workflowId).catch(() => false)) && isBegun) open.delete(workflowId);
      if (Date.now() > until) return false;
      if (open.size > 0) await delay(EVERY);
    }
    return open.size === 0;
  }

  /** Ends what has no end by itself. */
  async clear(): Promise<void> {
    this.#isCleared.abort();
    for (const workflowId of this.#workflowIds) {
      await this.stage.client.workflow
        .getHandle(workflowId)
        .terminate('the explorer')
        .catch(() => undefined); // it has ended
    }
  }

  /** How many further tasks the policy asks for after tasks that failed with a code. */
  resubmissions = (code: GenerationCode): number => DEFAULT_POLICY.retries[code].resubmissions;

  async #isOver(workflowId: string): Promise<boolean> {
    const handle = this.stage.client.workflow.getHandle(workflowId);
    const { status, searchAttributes, type } = await handle.describe();
    if (status.name !== 'RUNNING') return true;
    const state = searchAttributes[DarkroomState.name]?.[0];
    await this.#people.answer(workflowId, type, state);
    return false;
  }
}

/** A start as it is played: what it says of its policy, with the waits of this machine, and what an act lays over it. */
function withPolicy(start: Start, waits: number, policy: object | undefined): Start {
  const laidOver = (own: Start['policy']): object => ({
    ...own,
    reconcile: { ...own.reconcile, wait: waits },
    ...policy,
  });
  const { batch } = start;
  if (batch === undefined) return { ...start, request: { ...start.request, policy: laidOver(start.policy) } };
  const pipeline = { ...batch.pipeline, policy: laidOver(start.policy) };
  return { ...start, batch: { ...batch, pipeline } };
}
