import type { Mistake } from '../../api/input/mistakes.ts';
import type { PipelineStep } from '../pipeline.ts';
import { type FoundReference, findReferences, stepsOf, type Tally } from '../steps/references.ts';

/** A step whose shape is right, with what its input refers to. */
export interface StepNode {
  name: string;
  step: PipelineStep;
  references: readonly FoundReference[];
  /** What only tries to be a reference. */
  malformed: readonly Mistake[];
  /** Steps of this pipeline that it needs, each once. */
  needs: readonly string[];
}

/** The steps as a graph: by name, and in an order in which each comes after what it needs. */
export interface StepGraph {
  nodes: ReadonlyMap<string, StepNode>;
  ordered: readonly StepNode[];
  /** The names along one circle, its first name again at the end; undefined where there is none. */
  circle: readonly string[] | undefined;
}

export function readNode(name: string, step: PipelineStep, tally?: Tally): StepNode {
  const { references, errors } = findReferences(step.input, `steps.${name}.input`, tally);
  return { name, step, references, malformed: errors, needs: stepsOf(references) };
}

export function graphOf(nodes: ReadonlyMap<string, StepNode>, tally?: Tally): StepGraph {
  return { nodes, ...orderSteps(nodes, tally) };
}

/** Looks at each step and each need once, whatever the graph: a chain of steps may be as long as a pipeline. */
function orderSteps(
  nodes: ReadonlyMap<string, StepNode>,
  tally: Tally = { visits: 0 },
): Pick<StepGraph, 'ordered' | 'circle'> {
  const ordered: StepNode[] = [];
  const done = new Set<string>();
  /** The steps on the way to the one that is looked at, with how many of their needs have been looked at. */
  const trail = new Map<string, { node: StepNode; looked: number }>();
  let circle: string[] | undefined;
  for (const start of nodes.values()) {
    const way = done.has(start.name) ? [] : [{ node: start, looked: 0 }];
    for (let at = way.at(-1); at !== undefined; at = way.at(-1)) {
      tally.visits += 1;
      trail.set(at.node.name, at);
      const need = at.node.needs[at.looked];
      if (need === undefined) {
        way.pop();
        trail.delete(at.node.name);
        done.add(at.node.name);
        ordered.push(at.node);
        continue;
      }
      at.looked += 1;
      const next = nodes.get(need);
      if (trail.has(need)) circle ??= [...circleOf(way, need), need];
      else if (next !== undefined && !done.has(need)) way.push({ node: next, looked: 0 });
    }
  }
  return { ordered, circle };
}

function circleOf(way: readonly { node: StepNode }[], start: string): string[] {
  const names = way.map(({ node }) => node.name);
  return names.slice(names.indexOf(start));
}
