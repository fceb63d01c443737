import { proxyActivities, workflowInfo } from '@temporalio/workflow';
import type { DarkroomActivities } from '../../contract/activities.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { fanOf, findReferences } from '../../contract/references.ts';
import { mergeTasks, type PaidTask } from '../../contract/told-tasks.ts';
import type { Budget } from './budget.ts';

const { surveySteps } = proxyActivities<Pick<DarkroomActivities, 'surveySteps'>>({
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { initialInterval: '500 milliseconds', maximumInterval: '30 seconds' },
});

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
