import type { Mistake } from '../../api/input/mistakes.ts';
import type { PipelineRequest, PipelineStep } from '../pipeline.ts';
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
  /** The same step with inputs that it had in the pipeline that is reused. */
  earlier: readonly StepNode[];
}

/** The steps as a graph: by name, and in an order in which each comes after what it needs. */
export interface StepGraph {
  nodes: ReadonlyMap<string, StepNode>;
  ordered: readonly StepNode[];
  /** The names along one circle, its first name again at the end; undefined where there is none. */
  circle: readonly string[] | undefined;
}

/** The nodes of a request whose shape is right. */
export function nodesOf({
  steps,
  earlierInputs,
}: Pick<PipelineRequest, 'steps' | 'earlierInputs'>): Map<string, StepNode> {
  return new Map(
    Object.entries(steps).map(([name, step]) => [name, readNode(name, step, { earlierInputs })]),
  );
}

export function readNode(
  name: string,
  step: PipelineStep,
  {
    earlierInputs = {},
    tally,
  }: { earlierInputs: PipelineRequest['earlierInputs'] | undefined; tally?: Tally },
): StepNode {
  const read = (input: PipelineStep['input'], path: string, earlier: StepNode[] = []): StepNode => {
    const { references, errors } = findReferences(input, path, tally);
    const needs = stepsOf([references, ...earlier.map((one) => one.references)].flat());
    return { name, step: { ...step, input }, references, malformed: errors, needs, earlier };
  };
  const before = Object.hasOwn(earlierInputs, name) ? (earlierInputs[name] ?? []) : [];
  const earlier = before.map((input, index) => read(input, `earlierInputs.${name}.${index}`));
  return read(step.input, `steps.${name}.input`, earlier);
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
