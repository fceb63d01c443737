import { type Client, WorkflowFailedError } from '@temporalio/client';
import { findModel } from '../../api/models/registry.ts';
import type {
  Attempt,
  FailureDetails,
  GenerationRequest,
  GenerationResult,
  Ordered,
} from '../../contract/generation.ts';
import { Prices } from '../../contract/purchases/prices.ts';
import { DarkroomModel, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { listRuns } from '../../temporal/list-runs.ts';
import { readFailure } from '../following/read-failure.ts';

/** So many of the latest generations of a model are asked for what they have cost. */
const MOST_READ = 20;

export interface Estimate {
  credits: number;
  /** Whether a task of this very kind has cost that; else it is worked out from another number of results or seconds. */
  isSeen: boolean;
}

/** What generations will cost, by what others have cost: those of the earlier pipeline, and the latest of the model. */
export class PriceBook {
  readonly #client: Client;
  readonly #workspace: string;
  readonly #prices: Prices;
  readonly #seen: { ordered: Ordered; credits: number }[] = [];
  readonly #read = new Map<string, Promise<void>>();

  constructor(client: Client, prose: Record<string, string[]>, workspace: string = DEFAULT_WORKSPACE) {
    this.#client = client;
    this.#workspace = workspace;
    this.#prices = new Prices(prose);
  }

  /** Undefined where nobody can know. */
  async of(ordered: Ordered): Promise<Estimate | undefined> {
    const { model } = ordered;
    const known = this.#known(ordered);
    if (known?.isSeen === true) return known;
    const reading = this.#read.get(model) ?? this.#readLatest(model);
    this.#read.set(model, reading);
    await reading;
    return this.#known(ordered);
  }

  /** Learns what the generation of that workflow id has cost, where there is one. */
  async learnFrom(workflowId: string): Promise<void> {
    const run = await readLatestRun<GenerationRequest>(this.#client, workflowId);
    if (run?.type !== 'generation' || run.request === undefined || !run.isClosed) return;
    const ordered = run.request;
    const left = await leftBy(this.#client, workflowId, run.runId);
    this.learn(ordered, left?.attempts ?? []);
  }

  /** Learns what attempts at something have cost. */
  learn(ordered: Ordered, attempts: readonly Attempt[]): void {
    for (const attempt of attempts) {
      if (attempt.usage.total <= 0) continue;
      this.#prices.learn(ordered, [attempt]);
      this.#seen.push({ ordered, credits: attempt.usage.total });
    }
  }

  async #readLatest(model: string): Promise<void> {
    const runs = await listRuns(
      this.#client,
      [
        ['WorkflowType', '=', 'generation'],
        [DarkroomModel.name, '=', model],
        [DarkroomWorkspace.name, '=', this.#workspace],
        ['ExecutionStatus', '=', 'Completed'],
      ],
      MOST_READ,
    );
    await Promise.all(runs.map(({ workflowId }) => this.learnFrom(workflowId)));
  }

  #known(ordered: Ordered): Estimate | undefined {
    const { model, input } = ordered;
    const exact = this.#prices.of(ordered);
    if (exact !== undefined) return { credits: exact, isSeen: true };
    const perSecond = findModel(model)?.cost !== undefined;
    for (const { ordered: one, credits } of this.#seen) {
      if (one.model !== model) continue;
      const scale = ratio(one.input, input, 'n', 1) * (perSecond ? ratio(one.input, input, 'duration') : 1);
      const scaled = { n: input['n'], ...(perSecond ? { duration: input['duration'] } : {}) };
      const rescaled = { ...one, input: { ...one.input, ...scaled } };
      if (Number.isFinite(scale) && this.#prices.areAlike(rescaled, ordered))
        return { credits: Math.ceil(credits * scale), isSeen: false };
    }
    return undefined;
  }
}

/** NaN where one of the two does not say. */
function ratio(
  from: Readonly<Record<string, unknown>>,
  to: Readonly<Record<string, unknown>>,
  field: string,
  otherwise?: number,
): number {
  const a = from[field] ?? otherwise;
  const b = to[field] ?? otherwise;
  if (a === b) return 1;
  return typeof a === 'number' && typeof b === 'number' ? b / a : Number.NaN;
}

/** What a closed run has tried, and the task that it had last, where it can tell. */
export interface Left {
  attempts: readonly Attempt[];
  taskId?: string | null;
}

/** Null where the run could leave nothing behind: it was ended from outside. */
export async function leftBy(client: Client, workflowId: string, runId: string): Promise<Left | null> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    return (await handle.result()) as GenerationResult; // the workflow's own result type
  } catch (error) {
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { details } = await readFailure(client, error, workflowId, runId);
    return details as FailureDetails | null; // if a generation has failed
  }
}
