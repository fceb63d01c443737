import { setCurrentDetails } from '@temporalio/workflow';
import { addUsage, NO_USAGE, type Usage } from '../../api/usage.ts';
import type { PipelineProgress, PipelineRequest, StepProgress, StepResult } from '../../contract/pipeline.ts';
import { boundProgress, describePipeline } from './details.ts';

/** What people see of a pipeline: the query's answer, and the Current Details of the Temporal Web UI. */
export class Shown {
  readonly #steps = new Map<string, StepProgress>();
  #usage: Usage = NO_USAGE;
  #isNew = false;

  get progress(): PipelineProgress {
    return boundProgress(this.#steps, this.#usage);
  }

  expect(steps: PipelineRequest['steps']): void {
    for (const [name, { model }] of Object.entries(steps))
      this.#put(name, { status: 'pending', model, workflowIds: [] });
  }

  started(name: string, workflowId: string): void {
    const { workflowIds = [] } = this.#steps.get(name) ?? {};
    if (!workflowIds.includes(workflowId)) workflowIds.push(workflowId);
    this.#put(name, { status: 'running', workflowIds });
  }

  /** @param note what a person is asked */
  waits(name: string, status: 'approval' | 'held' | 'pending', note?: string): void {
    this.#put(name, { status, ...(note === undefined ? {} : { note }) });
  }

  done(name: string, outcome: StepResult['status']): void {
    this.#put(name, { status: 'done', outcome });
  }

  spent(usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    this.#isNew = true;
  }

  /** Brings the Web UI's view up to date; costs no history. */
  refresh(): void {
    if (this.#isNew) setCurrentDetails(describePipeline(this.progress));
    this.#isNew = false;
  }

  #put(name: string, change: Partial<StepProgress>): void {
    const { note: _, ...step } = this.#steps.get(name) ?? { status: 'pending', model: '', workflowIds: [] };
    this.#steps.set(name, { ...step, ...change });
    this.#isNew = true;
  }
}
