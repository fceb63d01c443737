import { setCurrentDetails } from '@temporalio/workflow';
import { addUsage, NO_USAGE, type Usage } from '../../api/records/usage.ts';
import type { PipelineProgress, PipelineRequest, StepProgress, StepResult } from '../../contract/pipeline.ts';
import { type AboutPipeline, boundProgress, describePipeline } from './details.ts';

/** What people see of a pipeline: the query's answer, and the Current Details of the Temporal Web UI. */
export class Shown {
  readonly #steps = new Map<string, StepProgress>();
  readonly #about: () => Omit<AboutPipeline, 'ended'>;
  readonly #needsOf: (step: string) => { state: string; note: string } | undefined;
  #usage: Usage = NO_USAGE;
  #ended: AboutPipeline['ended'];
  #last = '';

  /** @param needsOf what a step's generations need a look for */
  constructor(
    about: () => Omit<AboutPipeline, 'ended'>,
    needsOf: (step: string) => { state: string; note: string } | undefined,
  ) {
    this.#about = about;
    this.#needsOf = needsOf;
  }

  get progress(): PipelineProgress {
    return boundProgress(this.#looked(), this.#usage);
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

  /** @param note why a person is asked */
  waits(name: string, status: 'approval' | 'held' | 'pending', note?: string): void {
    this.#put(name, { status, ...(note === undefined ? {} : { note }) });
  }

  /** @param note why it is not completed */
  done(name: string, outcome: StepResult['status'], note?: string): void {
    this.#put(name, { status: 'done', outcome, ...(note === undefined ? {} : { note }) });
  }

  /** A generation of a step has cost that. */
  spent(name: string, usage: Usage): void {
    this.#usage = addUsage(this.#usage, usage);
    const step = this.#steps.get(name);
    if (step !== undefined) this.#steps.set(name, { ...step, credits: (step.credits ?? 0) + usage.total });
  }

  /** The run is over. */
  end(how: NonNullable<AboutPipeline['ended']>): void {
    this.#ended = how;
    this.refresh();
  }

  /** Brings the Web UI's view up to date; costs no history. */
  refresh(): void {
    const details = describePipeline(this.progress, { ...this.#about(), ended: this.#ended });
    if (details === this.#last) return;
    this.#last = details;
    setCurrentDetails(details);
  }

  /** With what the generations that run say of themselves. */
  #looked(): Map<string, StepProgress> {
    return new Map(
      [...this.#steps].map(([name, step]) => {
        const need = step.status === 'running' ? this.#needsOf(name) : undefined;
        if (need === undefined) return [name, step];
        return [name, { ...step, needs: need.state, ...(need.note === '' ? {} : { note: need.note }) }];
      }),
    );
  }

  #put(name: string, change: Partial<StepProgress>): void {
    const { note: _, ...step } = this.#steps.get(name) ?? { status: 'pending', model: '', workflowIds: [] };
    this.#steps.set(name, { ...step, ...change });
  }
}
