import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import { generationCode } from '../../api/codes.ts';
import { given } from '../../api/json/given.ts';
import { isRecord } from '../../api/json/is-record.ts';
import type { FailureDetails, GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest, PipelineResult, StepItem } from '../../contract/pipeline.ts';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';
import { layOver } from '../../policy/lay-over.ts';
import { parsePolicy } from '../../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../../policy/policy.ts';
import type { Priced } from '../../policy/prices/price-facts.ts';
import type { ListedRun } from '../../temporal/list-runs.ts';
import { type RunEnds, readEnds } from './closed-run.ts';
import { PriceBook, type SourceFiles } from './price-book.ts';

/** What a Reset would do with the tasks of some runs. */
export interface Survey {
  /** Tasks that are taken over, with what they have brought. */
  adopts: number;
  /** Tasks that are bought again. */
  buys: number;
  /** Tasks of which nobody can tell from here. */
  unknown: number;
  /**
   * Of all that may be bought. `high` counts each further task that the policy allows after the same failure; null where
   * a price is not known.
   */
  credits: { low: number; high: number | null };
}

/** Histories that are read at once. */
const AT_ONCE = 20;
/** What a task may still become that a run has given up. */
const ADOPTED: ReadonlySet<string> = new Set(['completed', 'overdue']);
const NOTHING: Survey = { adopts: 0, buys: 0, unknown: 0, credits: { low: 0, high: 0 } };
const ADOPTS: Survey = { ...NOTHING, adopts: 1 };

/** What a Reset of each of these runs to its beginning would take over and buy. Reads one history for each. */
export async function surveyRuns(
  client: Client,
  files: SourceFiles,
  runs: readonly ListedRun[],
): Promise<Survey> {
  const surveyor = new Surveyor(client, files);
  const next = pLimit(AT_ONCE);
  const surveys = await Promise.all(runs.map((run) => next(() => surveyor.survey(run))));
  return sumOf(surveys);
}

class Surveyor {
  readonly #client: Client;
  readonly #files: SourceFiles;
  readonly #prices = new Map<string, PriceBook>();

  constructor(client: Client, files: SourceFiles) {
    this.#client = client;
    this.#files = files;
  }

  async survey(run: ListedRun): Promise<Survey> {
    const ends = await readEnds(this.#client, run);
    if (ends === undefined || !isRecord(ends.request)) return unknownAt(null);
    if (run.type === 'pipeline') return await this.#ofPipeline(ends);
    return await this.#ofGeneration(ends.request as unknown as GenerationRequest, run, ends); // what it was started with
  }

  async #ofGeneration(request: GenerationRequest, run: ListedRun, ends: RunEnds): Promise<Survey> {
    const { failure, result, hasSubmitted } = ends;
    const holdsTask = run.attributes[DarkroomTaskId.name] !== undefined;
    if (result !== undefined || (failure === undefined && holdsTask)) return ADOPTS;
    if (failure === undefined || failure === null) return await this.#buying(request, '', !hasSubmitted);
    return await this.#afterFailure(request, failure);
  }

  async #afterFailure(
    request: GenerationRequest,
    failure: { type: string; details: unknown },
  ): Promise<Survey> {
    const { attempts = [], taskId } = (failure.details ?? {}) as Partial<FailureDetails> & {
      taskId?: string | null;
    };
    await this.#pricesOf(request.workspace).learn(request, attempts);
    if ((taskId ?? null) !== null || attempts.some(({ outcome }) => ADOPTED.has(outcome))) return ADOPTS;
    if (request.adoptOnly !== undefined) return NOTHING;
    // What was refused for its request is refused again, unless the workers' settings have changed.
    const isSure =
      failure.type !== 'INVALID_REQUEST' && !attempts.some(({ outcome }) => outcome === 'unknown');
    return await this.#buying(request, failure.type, isSure);
  }

  /** Steps that failed run again, with those that need them; completed ones are taken over. */
  async #ofPipeline({ request, result, failure }: RunEnds): Promise<Survey> {
    const { steps, workspace, policy } = request as PipelineRequest; // a pipeline's argument
    const ended = (result ?? failure?.details) as PipelineResult | undefined | null;
    if (!isRecord(ended?.steps) || !isRecord(steps)) return unknownAt(null);
    const surveys = Object.entries(ended.steps).flatMap(([name, entry]) => {
      const step = steps[name];
      if (step === undefined) return [Promise.resolve(unknownAt(null))];
      const { model, input, templateId } = step;
      const ordered: GenerationRequest = {
        model,
        input,
        ...(templateId === undefined ? {} : { templateId }),
        ...(workspace === undefined ? {} : { workspace }),
        policy: layOver(policy, step.policy),
      };
      return itemsOf(entry).map((item) => this.#ofItem(ordered, item));
    });
    return sumOf(await Promise.all(surveys));
  }

  async #ofItem(ordered: GenerationRequest, item: StepItem): Promise<Survey> {
    if (item.status === 'COMPLETED') return ADOPTS;
    return item.status === 'FAILED'
      ? await this.#afterFailure(ordered, item.failure)
      : await this.#buying(ordered, '', true);
  }

  async #buying(request: GenerationRequest, type: string, isSure: boolean): Promise<Survey> {
    const price = (await this.#pricesOf(request.workspace).of(orderedOf(request)))?.expected ?? null;
    if (!isSure) return unknownAt(price);
    const high = price === null ? null : price * (1 + furtherTasks(request, type));
    return { ...NOTHING, buys: 1, credits: { low: price ?? 0, high } };
  }

  #pricesOf(workspace: string = DEFAULT_WORKSPACE): PriceBook {
    const prices = this.#prices.get(workspace) ?? new PriceBook(this.#client, this.#files, workspace);
    this.#prices.set(workspace, prices);
    return prices;
  }
}

function unknownAt(price: number | null): Survey {
  return { ...NOTHING, unknown: 1, credits: { low: 0, high: price } };
}

/** How many more the policy allows where the new task fails as the last one did. */
function furtherTasks({ policy }: GenerationRequest, type: string): number {
  const code = generationCode(type);
  if (code === undefined) return 0;
  const { retries } = parsePolicy(policy ?? {}, DEFAULT_POLICY).policy;
  return Object.hasOwn(retries, code) ? (retries[code]?.resubmissions ?? 0) : 0;
}

function orderedOf({ model, input, templateId, sourceSeconds }: GenerationRequest): Priced {
  return { model, input: isRecord(input) ? input : {}, ...given({ templateId, sourceSeconds }) };
}

function itemsOf(entry: PipelineResult['steps'][string]): StepItem[] {
  return 'items' in entry ? entry.items : [entry];
}

function sumOf(surveys: readonly Survey[]): Survey {
  return surveys.reduce(
    (sum, { adopts, buys, unknown, credits: { low, high } }) => ({
      adopts: sum.adopts + adopts,
      buys: sum.buys + buys,
      unknown: sum.unknown + unknown,
      credits: {
        low: sum.credits.low + low,
        high: sum.credits.high === null || high === null ? null : sum.credits.high + high,
      },
    }),
    NOTHING,
  );
}
