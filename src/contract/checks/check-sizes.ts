import type { Mistake } from '../../api/input/mistakes.ts';
import { jsonBytes } from '../json-bytes.ts';
import {
  ASSUMED_URL_BYTES,
  LONGEST_WORKFLOW_ID,
  MOST_GENERATIONS,
  MOST_INPUT_BYTES,
  MOST_REQUEST_BYTES,
} from '../limits.ts';
import { fanOf, type Reference } from '../steps/references.ts';
import { DIGEST_SUFFIX_LENGTH } from '../steps/step-ids.ts';
import type { StepCount } from './output-counts.ts';
import type { StepGraph, StepNode } from './step-graph.ts';

/**
 * More generations than a run can hold, inputs that would be too large once their references are resolved, and
 * references to outputs that a step will not have, as far as the inputs tell how much each makes. To be asked before
 * parameters are put in their places: a large one may stand in a thousand of them.
 */
export function* checkSizes(
  { ordered }: StepGraph,
  counts: ReadonlyMap<string, StepCount>,
  params: Readonly<Record<string, unknown>>,
): Generator<Mistake> {
  let generations = 0;
  let bytes = 0;
  const paramBytes = new Map(Object.entries(params).map(([name, value]) => [name, sizesOf(value)]));
  for (const node of ordered) {
    const count = counts.get(node.name)?.generations ?? 1;
    const own = Math.max(...[node, ...node.earlier].map((one) => resolvedBytes(one, counts, paramBytes)));
    generations += count;
    bytes += count * own;
    if (own > MOST_REQUEST_BYTES) {
      const message = `would have ${own} bytes as JSON with what its references stand for (${ASSUMED_URL_BYTES} for a URL); at most ${MOST_REQUEST_BYTES} are taken`;
      yield { path: `steps.${node.name}.input`, message };
    }
  }
  if (generations > MOST_GENERATIONS) {
    const message = `fan out into ${generations} generations; a pipeline takes at most ${MOST_GENERATIONS}`;
    yield { path: 'steps', message };
  } else if (bytes > MOST_INPUT_BYTES) {
    const message = `would have inputs of ${bytes} bytes as JSON, all generations together; at most ${MOST_INPUT_BYTES} are taken`;
    yield { path: 'steps', message };
  }
}

interface ParamSizes {
  whole: number;
  /** The largest of its values, where it is a list. */
  largest: number;
}

function sizesOf(value: unknown): ParamSizes {
  const whole = jsonBytes(value);
  if (!Array.isArray(value)) return { whole, largest: whole };
  return { whole, largest: value.reduce<number>((most, one) => Math.max(most, jsonBytes(one)), 0) };
}

/** The input of one generation, with every reference as long as what it stands for may be. */
function resolvedBytes(
  { step, references }: StepNode,
  counts: ReadonlyMap<string, StepCount>,
  params: ReadonlyMap<string, ParamSizes>,
): number {
  const standsFor = (reference: Reference): number => {
    switch (reference.kind) {
      case 'from':
      case 'each':
        return ASSUMED_URL_BYTES;
      case 'all':
        return ASSUMED_URL_BYTES * (counts.get(reference.step)?.outputs ?? 1);
      case 'param':
        return params.get(reference.param)?.whole ?? 0;
      case 'each param':
        return params.get(reference.param)?.largest ?? 0;
      default:
        return reference satisfies never;
    }
  };
  return references.reduce((sum, { reference }) => sum + standsFor(reference), jsonBytes(step.input));
}

/** References to outputs that a step will not have. */
export function* checkOutputRange(
  { ordered }: StepGraph,
  counts: ReadonlyMap<string, StepCount>,
): Generator<Mistake> {
  for (const { references } of ordered) {
    for (const { path, reference } of references) {
      if (reference.kind !== 'from') continue;
      const count = counts.get(reference.step)?.outputs ?? 1;
      if (reference.output < count) continue;
      const last = count === 1 ? 'its only output is 0' : `its outputs are 0 to ${count - 1}`;
      yield { path, message: `step ${reference.step} has no output ${reference.output}: ${last}` };
    }
  }
}

/** Whether the id of each generation, `<pipeline id>/<step>` or `…/<index>`, and one for another input, is one that every server can hold. */
export function* checkIds(
  { ordered }: StepGraph,
  counts: ReadonlyMap<string, StepCount>,
  pipelineId: string,
): Generator<Mistake> {
  for (const { name, step, references } of ordered) {
    const last = (counts.get(name)?.generations ?? 1) - 1;
    const suffix = fanOf(references) === undefined ? '' : `/${last}`;
    const other = step.approve === true || step.onFailure === 'hold' ? DIGEST_SUFFIX_LENGTH : 0;
    const length = `${pipelineId}/${name}${suffix}`.length + other;
    if (length > LONGEST_WORKFLOW_ID) {
      const message = `would be the workflow ${shortened(pipelineId)}/${name}${suffix} of ${length} characters; at most ${LONGEST_WORKFLOW_ID} are taken: give the pipeline or the step a shorter name`;
      yield { path: `steps.${name}`, message };
    }
  }
}

function shortened(id: string): string {
  return id.length > 40 ? `${id.slice(0, 39)}…` : id;
}
