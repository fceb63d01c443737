import type { Mistake } from '../../api/input/mistakes.ts';
import { shownName } from '../../api/text/shown.ts';
import { MOST_REFERENCES } from '../limits.ts';
import { Names } from './nearest.ts';
import { paramOf } from './output-counts.ts';
import type { StepGraph, StepNode } from './step-graph.ts';

const MOST_OF_A_CIRCLE = 10;

/**
 * Whether references name what there is: malformed ones, unknown steps and parameters, too many of them, more than one
 * fan-out in a step, circles.
 *
 * @param names of all steps that may be referred to, those included whose own shape is wrong
 */
export function* checkReferences(
  { nodes, circle }: StepGraph,
  names: Names,
  params: Readonly<Record<string, unknown>>,
): Generator<Mistake> {
  let count = 0;
  const paramNames = new Names(Object.keys(params), 'parameters');
  for (const node of [...nodes.values()].flatMap((one) => [one, ...one.earlier])) {
    const path = `steps.${node.name}.input`;
    yield* node.malformed;
    yield* namesOf(node, names, paramNames, params);
    count += node.references.length;
    if (fansOf(node).size > 1) yield { path, message: 'fans out over more than one thing; use one $each' };
  }
  if (count > MOST_REFERENCES) {
    yield { path: 'steps', message: `have ${count} references; a pipeline takes at most ${MOST_REFERENCES}` };
  }
  if (circle !== undefined) {
    const shown = circle.length > MOST_OF_A_CIRCLE ? [...circle.slice(0, MOST_OF_A_CIRCLE), '…'] : circle;
    yield { path: `steps.${circle[0]}`, message: `is part of a cycle: ${shown.join(' → ')}` };
  }
}

function* namesOf(
  { references }: StepNode,
  names: Names,
  paramNames: Names,
  params: Readonly<Record<string, unknown>>,
): Generator<Mistake> {
  for (const { path, reference } of references) {
    if ('step' in reference) {
      const { step } = reference;
      if (!names.has(step))
        yield {
          path,
          message: () => `names ${shownName(step)}, which is no step of this pipeline${names.instead(step)}`,
        };
      continue;
    }
    const { kind, param } = reference;
    if (!paramNames.has(param)) {
      yield {
        path,
        message: () =>
          `names ${shownName(param)}, which is no parameter of this pipeline${paramNames.instead(param)}`,
      };
    } else if (kind === 'each param') {
      const value = paramOf(params, param);
      if (!Array.isArray(value) || value.length === 0)
        yield {
          path,
          message: `fans out over ${shownName(param)}, which must be a list with at least one value`,
        };
    }
  }
}

function fansOf({ references }: StepNode): Set<string> {
  return new Set(
    references.flatMap(({ reference }) => {
      if (reference.kind === 'each') return `step ${reference.step}`;
      return reference.kind === 'each param' ? `parameter ${reference.param}` : [];
    }),
  );
}
