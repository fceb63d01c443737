import type { GenerationHandle } from '../../client/generation-handle.ts';
import type { PipelineHandle } from '../../client/pipeline-handle.ts';
import type { PipelineProgress, PipelineResult, StepProgress, StepResult } from '../../contract/pipeline.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { stepCommands } from '../describe/describe-pipeline-progress.ts';
import { liveNote, type ProgressNote } from './progress-note.ts';

/** Asks for what one generation is doing. */
export type AskGeneration = (workflowId: string) => Promise<ProgressNote>;

const OUTCOMES = { COMPLETED: 'done', PARTIAL: 'attention', FAILED: 'failed', SKIPPED: 'skipped' } as const;

/** Items of a fanned-out step that are asked one by one; of more only the number is shown. */
const MOST_ASKED = 4;

/** Turns what a run says about itself into lines for the display, and keeps the time of each. */
export class WatchLines {
  readonly #ask: AskGeneration;
  readonly #began = new Map<string, number>();
  readonly #took = new Map<string, number>();

  constructor(ask: AskGeneration) {
    this.#ask = ask;
  }

  async ofGeneration(handle: GenerationHandle, label: string): Promise<StepLine[]> {
    const note = liveNote(await handle.currentProgress(), handle.workflowId);
    return [{ name: label, model: '', ...note, elapsed: this.#sinceStart(label) }];
  }

  endOfGeneration(label: string, state: StepLine['state'], note: string): StepLine[] {
    return [{ name: label, model: '', state, note, elapsed: this.#sinceStart(label) }];
  }

  async ofPipeline(handle: PipelineHandle): Promise<StepLine[]> {
    const { steps } = await handle.currentProgress();
    return await Promise.all(
      Object.entries(steps).map(([name, step]) => this.#lineOf(handle.workflowId, name, step)),
    );
  }

  endOfPipeline(steps: PipelineResult['steps'], models: Readonly<Record<string, string>>): StepLine[] {
    return Object.entries(steps).map(([name, result]) => ({
      name,
      model: models[name] ?? '',
      state: OUTCOMES[result.status],
      note: noteOf(result),
      elapsed: this.#end(name),
    }));
  }

  async #lineOf(
    workflowId: string,
    name: string,
    { status, model, workflowIds, outcome, note: question = status }: StepProgress,
  ): Promise<StepLine> {
    if (status === 'pending') return { name, model, state: 'pending', note: 'waiting for its inputs' };
    if (status === 'approval' || status === 'held')
      return {
        name,
        model,
        state: 'attention',
        note: question,
        commands: stepCommands(workflowId, name, status),
      };
    if (status === 'done') {
      const state = outcome === undefined ? 'done' : OUTCOMES[outcome];
      return { name, model, state, note: (outcome ?? 'done').toLowerCase(), elapsed: this.#end(name) };
    }
    const elapsed = this.#sinceStart(name);
    if (workflowIds.length > MOST_ASKED) {
      return { name, model, state: 'running', note: `${workflowIds.length} generations`, elapsed };
    }
    const asked = await Promise.all(workflowIds.map((id) => this.#ask(id)));
    const state = asked.some((one) => one.state === 'attention') ? 'attention' : 'running';
    const note = [...new Set(asked.map((one) => one.note))].join('; ');
    const commands = asked.flatMap((one) => one.commands ?? []);
    return { name, model, state, note, elapsed, ...(commands.length === 0 ? {} : { commands }) };
  }

  #sinceStart(name: string): number {
    const began = this.#began.get(name) ?? Date.now();
    this.#began.set(name, began);
    return Date.now() - began;
  }

  #end(name: string): number | undefined {
    const began = this.#began.get(name);
    if (began === undefined) return undefined;
    const took = this.#took.get(name) ?? Date.now() - began;
    this.#took.set(name, took);
    return took;
  }
}

/** The models of a pipeline's steps, as its progress has them. */
export function modelsOf({ steps }: PipelineProgress): Record<string, string> {
  return Object.fromEntries(Object.entries(steps).map(([name, { model }]) => [name, model]));
}

function noteOf(result: StepResult): string {
  if ('items' in result) {
    const completed = result.items.filter(({ status }) => status === 'COMPLETED').length;
    return `${completed} of ${result.items.length} completed`;
  }
  if (result.status !== 'COMPLETED') return `${result.status.toLowerCase()}: ${result.failure.message}`;
  return result.reused === true ? 'taken from the earlier pipeline' : 'completed';
}
