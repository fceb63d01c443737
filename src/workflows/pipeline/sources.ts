import { type Output, outputsOf, type Source } from '../../contract/steps/resolve-input.ts';
import { allOf } from './all-of.ts';
import type { Results } from './results.ts';
import type { StepEnd } from './step-result.ts';
import { look } from './take-over.ts';

/** What the steps of a pipeline have made, for those that refer to them. */
export class Sources {
  readonly #results: Results;
  readonly #end: (step: string) => Promise<StepEnd>;
  readonly #sources = new Map<string, Promise<Source>>();
  /** What generations have made, by path: the results may leave it out. */
  readonly #made = new Map<string, readonly Output[]>();

  /** @param end of a step, which is started where nobody has */
  constructor(results: Results, end: (step: string) => Promise<StepEnd>) {
    this.#results = results;
    this.#end = end;
  }

  /** A generation has made these. */
  note(path: string, outputs: readonly Output[]): void {
    this.#made.set(path, outputs);
  }

  /** What a step has made, for those that refer to it. */
  of(name: string): Promise<Source> {
    const known = this.#sources.get(name);
    if (known !== undefined) return known;
    const source = this.#end(name).then(async ({ status, paths }) => {
      const outputs = await allOf(paths.map((path) => this.#outputsOf(path)));
      return { status, outputs: outputs.flat() };
    });
    this.#sources.set(name, source);
    return source;
  }

  /** Of a generation whose outputs the run before this one had no room for, they are asked for. */
  async #outputsOf(path: string): Promise<readonly Output[]> {
    const made = this.#made.get(path);
    const item = this.#results.get(path)?.item;
    if (made !== undefined || item === undefined) return made ?? [];
    if (item.status !== 'COMPLETED' || item.omitted?.includes('outputs') !== true) return outputsOf(item);
    const { workflowId, result } = item;
    const found = await look({
      workflowId,
      model: result.model,
      workspace: undefined,
      input: {},
      asItIs: true,
    });
    const isSame = found.kind === 'completed' && found.result.taskId === result.taskId;
    return isSame ? outputsOf({ ...item, result: found.result }) : [];
  }
}
