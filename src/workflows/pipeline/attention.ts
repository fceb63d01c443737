import { log, upsertSearchAttributes } from '@temporalio/workflow';
import { isRecord } from '../../api/json/is-record.ts';
import { MOST_GENERATIONS } from '../../contract/limits.ts';
import type { PipelineRequest, StepState } from '../../contract/pipeline.ts';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomWorkspace,
  isSearchable,
  NEEDS_A_LOOK,
} from '../../contract/search-attributes.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { tellBatch } from './tell-batch.ts';

/** Characters of a state and of a note: anybody may send the signal. */
const LONGEST_STATE = 40;
const LONGEST_NOTE = 300;
/** Characters of a step's name, and of a generation's number. */
const LONGEST_PATH = 80;

/** What a person is asked of a step, by the words of `DarkroomState`. */
const ASKS: Readonly<Record<string, 'approval' | 'held'>> = {
  'waiting for approval': 'approval',
  'needs a decision': 'held',
};

/** What a step or one of its generations waits for: the words of `DarkroomState`, and what holds it up. */
interface Need {
  state: string;
  note: string;
}

/**
 * What a pipeline is searched by. `DarkroomState` tells of the step that needs a look most: one that waits for a
 * person, or whose generation says that it does. `DarkroomModel` is that step's, else that of the first one that has
 * failed, else of the first one.
 */
export class Attention {
  /** Steps that wait for a person, by name. */
  readonly #asked = new Map<string, Need>();
  /** Generations that have said so, by path. */
  readonly #heard = new Map<string, Need>();
  #request: PipelineRequest | undefined;
  #isRunning: (path: string) => boolean = () => true;
  #state: string | undefined;
  #model = '';
  /** What the batch was told last. */
  #told = '';

  /**
   * From here on the search attributes follow.
   *
   * @param isRunning whether a generation has not ended: it may have said something just before it did
   */
  open(
    request: PipelineRequest,
    { isRunning, carried }: { isRunning: (path: string) => boolean; carried: CarriedPipeline['attention'] },
  ): void {
    this.#request = request;
    this.#isRunning = isRunning;
    if (carried === undefined) this.#begin(request.steps, request.workspace);
    else {
      this.#told = carried.told ?? '';
      this.#state = carried.state ?? undefined;
      this.#model = carried.model;
      for (const [name, need] of carried.asked) this.#asked.set(name, need);
      for (const [path, need] of carried.heard) if (!this.#heard.has(path)) this.#heard.set(path, need);
    }
    this.#refresh();
  }

  /** The request is refused: it may hold anything, and is to be found by what is right in it. */
  refused(request: unknown): void {
    const { steps, workspace } = isRecord(request) ? request : {};
    this.#begin(isRecord(steps) ? steps : {}, workspace);
  }

  #begin(steps: Record<string, unknown>, workspace: unknown): void {
    const [first] = Object.values(steps);
    const model = isRecord(first) ? first['model'] : undefined;
    this.#model = isSearchable(model) ? model : '';
    upsertSearchAttributes([
      { key: DarkroomModel, value: this.#model },
      { key: DarkroomWorkspace, value: isSearchable(workspace) ? workspace : DEFAULT_WORKSPACE },
    ]);
  }

  /** A step waits for a person. */
  ask(step: string, need: Need): void {
    this.#asked.set(step, { ...need, note: need.note.slice(0, LONGEST_NOTE) });
    this.#refresh();
  }

  answered(step: string): void {
    if (this.#asked.delete(step)) this.#refresh();
  }

  /** What a generation needs now. Whoever sends a signal may say so, in any words. */
  hear(said: Partial<StepState> | null | undefined): void {
    const path: unknown = said?.path;
    const state: unknown = said?.state;
    const note: unknown = said?.note;
    if (typeof path !== 'string' || path.length > LONGEST_PATH) return;
    if (!this.#heard.has(path) && this.#heard.size >= MOST_GENERATIONS) return;
    if (typeof state === 'string' && state !== '') {
      const words = typeof note === 'string' ? note : '';
      this.#heard.set(path, { state: state.slice(0, LONGEST_STATE), note: words.slice(0, LONGEST_NOTE) });
    } else this.#heard.delete(path);
    this.#refresh();
  }

  /** A generation has ended. */
  settle(path: string): void {
    if (this.#heard.delete(path)) this.#refresh();
  }

  /** What a generation of a step needs a look for, the most urgent of them. */
  ofStep(name: string): Need | undefined {
    return this.#sorted().find(([path]) => stepOf(path) === name && !this.#asked.has(path))?.[1];
  }

  /** The pipeline has failed, first of all at a step of that model. */
  failedAt(model: string): void {
    this.#show(undefined, model);
  }

  /** For the next run of a pipeline that continues as new. */
  carry(): NonNullable<CarriedPipeline['attention']> {
    return {
      asked: [...this.#asked],
      heard: [...this.#heard].filter(([path]) => this.#isRunning(path)),
      state: this.#state ?? null,
      model: this.#model,
      ...(this.#told === '' ? {} : { told: this.#told }),
    };
  }

  #refresh(): void {
    if (this.#request === undefined) return;
    const [first] = this.#sorted();
    const step = first === undefined ? undefined : this.#request.steps[stepOf(first[0])];
    this.#show(first?.[1], step?.model ?? this.#model);
    this.#tell(first);
  }

  /** What the most urgent of its steps needs. */
  #tell(first: [path: string, need: Need] | undefined): void {
    const [path, need] = first ?? [];
    const said = {
      step: path === undefined ? null : stepOf(path),
      asks:
        path !== undefined && need !== undefined && this.#asked.has(path) ? (ASKS[need.state] ?? null) : null,
      state: need?.state ?? null,
      note: need?.note ?? null,
    };
    const words = need === undefined ? '' : JSON.stringify(said);
    if (words === this.#told) return;
    this.#told = words;
    tellBatch(said);
  }

  /** An event of the history where something has changed. */
  #show(need: Need | undefined, model: string): void {
    const state = need?.state;
    const isNew = state !== this.#state;
    if (!isNew && model === this.#model) return;
    this.#state = state;
    this.#model = model;
    upsertSearchAttributes([
      { key: DarkroomState, value: state ?? null },
      { key: DarkroomModel, value: model },
    ]);
    if (isNew && need !== undefined) log.warn(`${need.state}: ${need.note}`);
  }

  /** The most urgent first. */
  #sorted(): [path: string, need: Need][] {
    const rank = ({ state }: Need): number => {
      const place = NEEDS_A_LOOK.findIndex((one) => one === state);
      return place < 0 ? NEEDS_A_LOOK.length : place;
    };
    const heard = [...this.#heard].filter(([path]) => this.#isRunning(path));
    return [...this.#asked, ...heard].toSorted(([, a], [, b]) => rank(a) - rank(b));
  }
}

/** `<step>` of `<step>/<index>`. */
export function stepOf(path: string): string {
  const [name = path] = path.split('/', 1);
  return name;
}
