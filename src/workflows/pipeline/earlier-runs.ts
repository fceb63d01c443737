import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import { digestOf } from '../../api/input/field-digests.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { mergeTasks, type PaidTask } from '../../contract/purchases/told-tasks.ts';
import { fanOf, findReferences } from '../../contract/steps/references.ts';
import { stepOf } from './attention.ts';
import type { Budget } from './budget.ts';
import type { Job } from './job.ts';

const { surveySteps, givenInputs } = proxyActivities<Pick<DarkroomActivities, 'surveySteps' | 'givenInputs'>>(
  {
    startToCloseTimeout: '10 minutes',
    heartbeatTimeout: '30 seconds',
    retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
  },
);

interface Found {
  /** The output that an item of a fan-out was started for; null where it is none, or not known. */
  each: string | null;
}

/**
 * What earlier runs of this pipeline have started. A run that is the first of its id never asks. One that runs again
 * finds out at once, or by the first generation that is there already; then all of them are looked for, once.
 */
export class EarlierRuns {
  readonly #request: () => PipelineRequest;
  readonly #budget: Budget;
  /** By path, the tasks that the budget has counted, whoever has bought them. */
  readonly #counted: Map<string, PaidTask[]>;
  /** Questions on their way, by step: the items of a fan-out share one. */
  readonly #asked = new Map<string, Promise<Record<string, unknown>[]>>();
  #isKnown = false;
  #survey: Promise<ReadonlyMap<string, Found>> | undefined;

  constructor(options: {
    request: () => PipelineRequest;
    budget: Budget;
    counted: Iterable<[path: string, tasks: PaidTask[]]>;
  }) {
    this.#request = options.request;
    this.#budget = options.budget;
    this.#counted = new Map(options.counted);
  }

  /** Whether there are any, as far as this run has noticed. */
  get areKnown(): boolean {
    return this.#isKnown;
  }

  get counted(): [path: string, tasks: PaidTask[]][] {
    return [...this.#counted];
  }

  /** There are: this run has come upon what one of them has started. */
  notice(): void {
    this.#isKnown = true;
  }

  async hasStarted(path: string): Promise<boolean> {
    return this.#isKnown && (await this.#found()).has(path);
  }

  /** What the items of a fan-out were started for, by index; empty where no earlier run is known. */
  async itemsOf(step: string): Promise<Map<number, string>> {
    const items = new Map<number, string>();
    // A reused source gives no sign of earlier runs: they are looked for, because something is asked for anyway.
    if (!this.#isKnown && this.#request().reuse === undefined) return items;
    for (const [path, { each }] of await this.#found()) {
      const [name, index] = path.split('/');
      if (name === step && index !== undefined && each !== null) items.set(Number(index), each);
    }
    return items;
  }

  /** What a person gave a held step in an earlier run, after its present input had failed there. */
  async inputAfter({ path, step, isGiven }: Job): Promise<Record<string, unknown> | undefined> {
    if (!this.#isKnown || step.onFailure !== 'hold') return undefined;
    const name = stepOf(path);
    // Asked each time: a run may have been Reset from one that had asked before the person gave it.
    const asking = this.#asked.get(name) ?? givenInputs({ step: name });
    this.#asked.set(name, asking);
    const given = await asking.finally(() => this.#asked.delete(name));
    const present = digestOf(step.input);
    const place = given.findLastIndex((input) => digestOf(input) === present);
    // One that no earlier run was given is of this run alone.
    return place < 0 && isGiven ? undefined : given[place + 1];
  }

  /** Counts what a generation has paid for, as far as that is not counted yet. */
  count(path: string, tasks: readonly PaidTask[]): void {
    this.#budget.spend(this.uncounted(path, tasks));
  }

  /** The credits of those tasks of a generation that are not counted yet. From now on they are. */
  uncounted(path: string, tasks: readonly PaidTask[]): number {
    if (this.#request().budget === undefined) return 0;
    const before = this.#counted.get(path) ?? [];
    const after = mergeTasks([before, tasks]);
    if (after.length > 0) this.#counted.set(path, after);
    return sumOf(after) - sumOf(before);
  }

  async #found(): Promise<ReadonlyMap<string, Found>> {
    this.#survey ??= this.#look();
    return await this.#survey;
  }

  async #look(): Promise<ReadonlyMap<string, Found>> {
    const { steps, budget } = this.#request();
    const found = await surveySteps({
      pipelineId: workflowInfo().workflowId,
      steps: Object.entries(steps).map(([name, { input }]) => ({
        name,
        isFannedOut: fanOf(findReferences(input, '').references) !== undefined,
      })),
      costs: budget !== undefined,
    });
    for (const [path, , tasks] of found) this.count(path, tasks);
    return new Map(found.map(([path, each]) => [path, { each }]));
  }
}

function sumOf(tasks: readonly PaidTask[]): number {
  return tasks.reduce((sum, [, credits]) => sum + credits, 0);
}
