import { type Client, WorkflowFailedError } from '@temporalio/client';
import type {
  Attempt,
  FailureDetails,
  GenerationRequest,
  GenerationResult,
} from '../../contract/generation.ts';
import { DarkroomModel, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { CATALOGUE, CATALOGUED, type Priced, priceFacts } from '../../policy/prices/price-facts.ts';
import { type Estimate, type PriceFacts, PriceTable } from '../../policy/prices/price-table.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import { listRuns } from '../../temporal/list-runs.ts';
import type { ClientFiles } from '../files/client-files.ts';
import { readFailure } from '../following/read-failure.ts';

/** So many of the latest generations of a model are asked for what they have cost. */
const MOST_READ = 20;

/** Tells how long sources last. */
export type SourceFiles = Pick<ClientFiles, 'sourceSeconds'>;

/** What generations will cost, by what others have cost: those of the earlier pipeline, and the latest of the model. */
export class PriceBook {
  readonly #client: Client;
  readonly #files: SourceFiles;
  readonly #workspace: string;
  readonly #prices = new PriceTable();
  readonly #read = new Map<string, Promise<void>>();

  /** @param files the store, in which sources of known lengths are */
  constructor(client: Client, files: SourceFiles, workspace: string = DEFAULT_WORKSPACE) {
    this.#client = client;
    this.#files = files;
    this.#workspace = workspace;
  }

  /** Undefined where nobody can know. */
  async of(ordered: Priced): Promise<Estimate | undefined> {
    const { model } = ordered;
    const facts = await this.#factsOf(ordered);
    if (facts === undefined) return undefined;
    const known = this.#prices.estimate(facts);
    if (known?.isExact === true) return known;
    await this.#hear(model);
    // What the catalogue prices of one model tells what it prices of another one.
    if (facts.kind === CATALOGUE && this.#prices.estimate(facts) === undefined)
      await Promise.all(CATALOGUED.map((other) => this.#hear(other)));
    return this.#prices.estimate(facts);
  }

  async #hear(model: string): Promise<void> {
    const reading = this.#read.get(model) ?? this.#readLatest(model);
    this.#read.set(model, reading);
    await reading;
  }

  /** Learns what the generation of that workflow id has cost, where there is one. */
  async learnFrom(workflowId: string): Promise<void> {
    const run = await readLatestRun<GenerationRequest>(this.#client, workflowId);
    if (run?.type !== 'generation' || run.request === undefined || !run.isClosed) return;
    const ordered = run.request;
    const left = await leftBy(this.#client, workflowId, run.runId);
    await this.learn(ordered, left?.attempts ?? []);
  }

  /** Learns what attempts at something have cost. */
  async learn(ordered: Priced, attempts: readonly Attempt[]): Promise<void> {
    const facts = await this.#factsOf(ordered);
    if (facts === undefined) return;
    for (const { usage } of attempts) this.#prices.learn(facts, usage.total);
  }

  async #factsOf(ordered: Priced): Promise<PriceFacts | undefined> {
    return priceFacts({ ...ordered, sourceSeconds: await this.#files.sourceSeconds(ordered) });
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
}

/** What a closed run has tried, and the task that it had last, where it can tell. */
export interface Left {
  attempts: readonly Attempt[];
  taskId?: string | null;
}

/** Null where the run has left nothing behind: it was ended from outside, or the server has deleted it. */
export async function leftBy(client: Client, workflowId: string, runId: string): Promise<Left | null> {
  try {
    const handle = client.workflow.getHandle(workflowId, runId, { followRuns: false });
    return (await handle.result()) as GenerationResult; // the workflow's own result type
  } catch (error) {
    if (isNotFound(error)) return null;
    if (!(error instanceof WorkflowFailedError)) throw error;
    const { details } = await readFailure(client, error, workflowId, runId);
    return details as FailureDetails | null; // if a generation has failed
  }
}
