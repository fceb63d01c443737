import { outputCount } from '../../api/models/output-count.ts';
import type { Priced } from '../../policy/prices/price-facts.ts';
import { graphOf, nodesOf, type StepNode } from '../checks/step-graph.ts';
import { MOST_GENERATIONS } from '../limits.ts';
import type { PipelineRequest } from '../pipeline.ts';
import { orderOf } from './pipeline-step.ts';
import { fanOf } from './references.ts';
import { type Output, resolveInput, type Source, secondsOf, type Taken } from './resolve-input.ts';

type Planned = Pick<PipelineRequest, 'steps' | 'params'>;

/** No input holds such a URL: what refers to it is bought anew. */
const UNKNOWN_URL = 'https://output.invalid/not-made-yet/';

/** A step's generations by path, with what each item of a fan-out takes. @param sources the steps before it */
export function itemsOf(
  { name, references }: StepNode,
  { params }: Planned,
  sources: ReadonlyMap<string, Source>,
): [path: string, taken: Taken | undefined][] {
  const fan = fanOf(references);
  if (fan === undefined) return [[name, undefined]];
  const list = fan.kind === 'each param' ? params?.[fan.param] : undefined;
  const taken: Taken[] =
    fan.kind === 'each param'
      ? (Array.isArray(list) ? list : []).map((value: unknown) => ({ value }))
      : (sources.get(fan.step)?.outputs ?? []).map((output) => ({ output }));
  return taken.map((one, index) => [`${name}/${index}`, one]);
}

/** What a generation will make that is not bought yet. */
export function unknownOutputs(path: string, input: Record<string, unknown>): Output[] {
  const names = Array.from({ length: outputCount(input) }, (_, index) => `${path}#${index}`);
  const { duration } = input;
  const seconds = typeof duration === 'number' ? { seconds: duration } : {}; // as long as it was asked for
  return names.map((name) => ({ url: UNKNOWN_URL + name, name: UNKNOWN_URL + name, ...seconds }));
}

export function isUnknown(output: string): boolean {
  return output.startsWith(UNKNOWN_URL);
}

/** What a pipeline buys. */
export interface PlannedOrders {
  /** By itself. */
  atOnce: Priced[];
  /** If a person approves the step, or one that it needs. */
  approved: Priced[];
  /** Those steps. */
  approvedSteps: string[];
}

/**
 * What a pipeline buys if every generation completes at its first attempt and makes what its input says. The work is
 * bounded by what a pipeline may buy.
 *
 * @param request of which the shape of `steps` was checked
 */
export function plannedOrders(request: Planned): PlannedOrders {
  const sources = new Map<string, Source>();
  const orders: Omit<PlannedOrders, 'approvedSteps'> = { atOnce: [], approved: [] };
  const behindApproval = new Set<string>();
  const made = (step: string, name: string): Output | undefined =>
    sources.get(step)?.outputs.find((one) => one.name === name);
  for (const node of graphOf(nodesOf(request)).ordered) {
    const outputs: Output[] = [];
    if (node.step.approve === true || node.needs.some((need) => behindApproval.has(need)))
      behindApproval.add(node.name);
    const list = behindApproval.has(node.name) ? orders.approved : orders.atOnce;
    for (const [path, taken] of itemsOf(node, request, sources)) {
      const resolved = resolveInput(node.step.input, sources, request.params ?? {}, taken);
      if ('missing' in resolved || orders.atOnce.length + orders.approved.length >= MOST_GENERATIONS) break;
      list.push({ ...orderOf(node.step, resolved.input), ...secondsOf(resolved.origins, made) });
      outputs.push(...unknownOutputs(path, resolved.input));
    }
    sources.set(node.name, { status: 'COMPLETED', outputs });
  }
  return { ...orders, approvedSteps: [...behindApproval] };
}
