import type { Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineResult, StepProgress, StepResult } from '../../contract/pipeline.ts';
import { WAITING_FOR_BUDGET } from '../../contract/search-attributes.ts';
import { ownCommand } from '../../package/own-command.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { stepCommands } from '../describe/describe-pipeline-progress.ts';
import { liveNote } from './progress-note.ts';

const OUTCOMES = { COMPLETED: 'done', PARTIAL: 'attention', FAILED: 'failed', SKIPPED: 'skipped' } as const;

/** Turns what a run says about itself into lines for the display, and keeps the time of each. */
export class WatchLines {
  readonly #began = new Map<string, number>();
  readonly #took = new Map<string, number>();

  ofGeneration(progress: Progress, workflowId: string, label: string): StepLine[] {
    return [{ name: label, model: '', ...liveNote(progress, workflowId), elapsed: this.#sinceStart(label) }];
  }

  endOfGeneration(label: string, state: StepLine['state'], note: string): StepLine[] {
    return [{ name: label, model: '', state, note, elapsed: this.#sinceStart(label) }];
  }

  ofPipeline({ steps }: PipelineProgress, workflowId: string): StepLine[] {
    return Object.entries(steps).map(([name, step]) => this.#lineOf(workflowId, name, step));
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

  #lineOf(workflowId: string, name: string, step: StepProgress): StepLine {
    const { status, model, workflowIds, outcome, more = 0, needs, note: question = status } = step;
    if (status === 'pending')
      return { name, model, state: 'pending', note: step.note ?? 'waiting for its inputs' };
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
    if (needs !== undefined) {
      const note = question === status ? needs : `${needs}: ${question}`;
      if (needs === WAITING_FOR_BUDGET) return { name, model, state: 'running', note, elapsed };
      const commands = workflowIds.slice(0, 1).map((id) => ownCommand('show', id));
      return { name, model, state: 'attention', note, elapsed, commands };
    }
    const generations = workflowIds.length + more;
    const note = generations > 1 ? `${generations} generations` : 'running';
    return { name, model, state: 'running', note, elapsed };
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
