import type { Client } from '@temporalio/client';
import { digestOf } from '../../api/input/field-digests.ts';
import { graphOf, nodesOf, type StepNode } from '../../contract/checks/step-graph.ts';
import type { PipelineRequest, PipelineStep } from '../../contract/pipeline.ts';
import { orderOf } from '../../contract/steps/pipeline-step.ts';
import { isUnknown, itemsOf, unknownOutputs } from '../../contract/steps/planned-orders.ts';
import {
  type Output,
  outputsOf,
  type Resolved,
  resolveInput,
  type Source,
  secondsOf,
  type Taken,
} from '../../contract/steps/resolve-input.ts';
import type { Reusable } from '../../contract/steps/step-look.ts';
import { catalogueUsd, type Priced } from '../../policy/prices/price-facts.ts';
import type { Estimate } from '../../policy/prices/price-table.ts';
import { findReusable } from '../../temporal/reuse/find-reusable.ts';
import { PipelineGenerations } from '../../temporal/reuse/pipeline-generations.ts';
import type { PriceBook } from './price-book.ts';

/** One generation of a pipeline that has not been started. */
export interface PlannedGeneration {
  /** `<step>`, or `<step>/<index>` under fan-out. */
  path: string;
  model: string;
  /** `skip`: what it refers to will not be there, or nothing may be bought for it. */
  action: 'buy' | 'reuse' | 'skip';
  /** Why nothing may be bought. */
  reason?: string;
  /** What would make it a `reuse`: nobody can know it before. */
  unless?: string;
  /** The workflow id of the generation that is taken over; null for what is bought. */
  from: string | null;
  /** What it will cost: 0 for what is reused, null where nobody can know. */
  credits: number | null;
  /** Whether the credits were worked out from another number of results, seconds or characters, instead of seen. */
  approximate?: true;
  /** Of what is bought at a price that is known: what that rests on. */
  estimate?: Estimate;
  /** Of what is bought: what it costs by the catalogue, where that has a price of it. */
  usd?: number;
}

/** What a pipeline will buy, if every generation completes at its first attempt and makes what its input says. */
export interface PipelinePlan {
  generations: PlannedGeneration[];
  bought: number;
  reused: number;
  /** Of all that is bought and has a known price. */
  credits: number;
  /** How many of the bought ones have none. */
  unknownPrices: number;
  /** Steps that wait for a person before they are bought. */
  approvals: string[];
}

/**
 * What the pipeline would buy and what it would take over from the one that `reuse` names, by the same rules as the
 * pipeline itself. Nothing is started.
 *
 * @param request which has passed its check
 */
export async function planPipeline(
  client: Client,
  request: PipelineRequest,
  prices: PriceBook,
): Promise<PipelinePlan> {
  const nodes = nodesOf(request);
  const planner = new Planner(client, request, prices);
  for (const node of graphOf(nodes).ordered) await planner.plan(node);
  const order = Object.keys(request.steps);
  const generations = planner.generations.toSorted(
    (a, b) => order.indexOf(stepOf(a)) - order.indexOf(stepOf(b)),
  );
  const bought = generations.filter(({ action }) => action === 'buy');
  return {
    generations,
    bought: bought.length,
    reused: generations.filter(({ action }) => action === 'reuse').length,
    credits: bought.reduce((sum, { credits }) => sum + (credits ?? 0), 0),
    unknownPrices: bought.filter(({ credits }) => credits === null).length,
    approvals: order.filter((name) => {
      const own = generations.filter((one) => stepOf(one) === name);
      const isReused = own.length > 0 && own.every(({ action }) => action === 'reuse');
      return request.steps[name]?.approve === true && !isReused;
    }),
  };
}

class Planner {
  readonly generations: PlannedGeneration[] = [];
  readonly #client: Client;
  readonly #request: PipelineRequest;
  readonly #prices: PriceBook;
  readonly #pipelines: PipelineGenerations;
  readonly #sources = new Map<string, Source>();

  constructor(client: Client, request: PipelineRequest, prices: PriceBook) {
    this.#client = client;
    this.#request = request;
    this.#prices = prices;
    this.#pipelines = new PipelineGenerations(client);
  }

  async plan(node: StepNode): Promise<void> {
    const outputs: Output[] = [];
    let status: Source['status'] = 'COMPLETED';
    for (const [path, taken] of itemsOf(node, this.#request, this.#sources)) {
      const made = await this.#planGeneration(node, path, taken);
      if (made === undefined) status = 'SKIPPED';
      else outputs.push(...made);
    }
    this.#sources.set(node.name, { status, outputs });
  }

  /** @returns what it makes; undefined where it cannot run */
  async #planGeneration(
    node: StepNode,
    path: string,
    taken: Taken | undefined,
  ): Promise<readonly Output[] | undefined> {
    const { step } = node;
    const { model } = step;
    const resolved = this.#resolved(step.input, taken);
    if ('missing' in resolved) {
      this.generations.push({ path, model, action: 'skip', from: null, credits: 0 });
      return undefined;
    }
    const { input } = resolved;
    const ordered = orderOf(step, input);
    const made = (name: string, output: string): Output | undefined =>
      this.#sources.get(name)?.outputs.find((one) => one.name === output);
    const priced = { ...ordered, ...secondsOf(resolved.origins, made) };
    const { reuse } = this.#request;
    if (reuse !== undefined) {
      await this.#prices.learnFrom(`${reuse}/${path}`);
      const found = await this.#bought(node, path, taken);
      if (found?.kind === 'ended') {
        const how = found.type === undefined ? 'was ended from outside' : `ended as ${found.type}`;
        const reason = `${found.workflowId} ${how}: rerun that first, which takes over what it has bought`;
        this.generations.push({ path, model, action: 'skip', reason, from: null, credits: 0 });
        return undefined;
      }
      if (found !== null) {
        this.generations.push({ path, model, action: 'reuse', from: found.workflowId, credits: 0 });
        if (found.kind === 'completed') return outputsOf({ status: 'COMPLETED', ...found });
        return unknownOutputs(path, input); // its end is waited for
      }
    }
    this.generations.push({
      path,
      model,
      action: 'buy',
      from: null,
      ...told(await this.#prices.of(priced), priced),
    });
    return unknownOutputs(path, input);
  }

  /** What the pipeline that `reuse` names has bought for it: with its input, or else with one that it had there before. */
  async #bought(
    { step, earlier }: StepNode,
    path: string,
    taken: Taken | undefined,
  ): Promise<Reusable | null> {
    const { reuse = '', workspace } = this.#request;
    const context = { temporal: this.#client, pipelines: this.#pipelines };
    const look = async (input: PipelineStep['input']): Promise<Reusable | null> => {
      const resolved = this.#resolved(input, taken);
      if ('missing' in resolved) return null;
      const { origins } = resolved;
      if (Object.values(origins).some(({ outputs }) => outputs.some(isUnknown))) return null;
      const digest = digestOf(input);
      const ordered = orderOf(step, resolved.input);
      return await findReusable(context, { ...ordered, pipelineId: reuse, path, digest, workspace, origins });
    };
    const own = await look(step.input);
    if (own?.kind === 'completed' || own?.kind === 'running') return own;
    for (const before of earlier) {
      const found = await look(before.step.input);
      if (found?.kind === 'completed' || found?.kind === 'running') return found;
    }
    return own;
  }

  #resolved(input: PipelineStep['input'], taken: Taken | undefined): Resolved {
    return resolveInput(input, this.#sources, this.#request.params ?? {}, taken);
  }
}

/** A price as a plan has it. */
export function told(
  estimate: Estimate | undefined,
  ordered: Priced,
): Pick<PlannedGeneration, 'credits' | 'approximate' | 'estimate' | 'usd'> {
  const usd = catalogueUsd(ordered);
  const catalogued = usd === undefined ? {} : { usd };
  if (estimate === undefined) return { credits: null, ...catalogued };
  const { expected, isExact } = estimate;
  return { credits: expected, ...(isExact ? {} : { approximate: true }), estimate, ...catalogued };
}

function stepOf({ path }: PlannedGeneration): string {
  const [name = path] = path.split('/', 1);
  return name;
}
