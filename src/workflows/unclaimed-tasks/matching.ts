import type { Family } from '../../api/family.ts';
import { areOfOneTemplate, type FieldDigests } from '../../api/input/field-digests.ts';
import { canComeFrom, unexplained } from '../../api/input/same-input.ts';
import type { ModelShape } from '../../contract/entities/claims.ts';
import { API_CLOCK_TOLERANCE, CLOCK_TOLERANCE } from '../../contract/limits.ts';

/** What is known of a task. */
export interface Evidence {
  taskId: string;
  arrivedAt: number;
  createdAt: number | null;
  fields: FieldDigests;
  owner?: string | undefined;
  /**
   * The first run of the purchase that it was granted to: that is the owner's. Where it has closed without it, the next
   * purchase of the same workflow id may get it.
   */
  grantedTo?: string | undefined;
  /** Of the model that made it, where its record tells. */
  family?: Family | undefined;
}

/** What is known of a submit whose answer got lost. */
export interface Search {
  claimId: string;
  workflowId: string;
  firstRunId: string;
  model: string;
  fields: FieldDigests;
  since: number;
  clockOffset?: number | undefined;
  known?: readonly string[] | undefined;
}

/**
 * Whether a task can be the one that a submit has bought: the run has not had it, it was made after the submit began,
 * every field that was sent stands unchanged in its normalized input, and no field there that the model lacks. Fields
 * that were not sent are the API's defaults.
 */
export function fits(task: Evidence, search: Search, shape: ModelShape | undefined): boolean {
  if (task.owner !== undefined && task.owner !== search.workflowId) return false;
  if (task.grantedTo === search.firstRunId) return false;
  if (search.known?.includes(task.taskId) === true) return false;
  if (task.family !== undefined && shape !== undefined && task.family !== shape.family) return false;
  return canComeFrom(task.fields, search.fields, shape?.takes) && !isTooOld(task, search);
}

/**
 * Made before the submit began: by the API's own clock where both of its times are known, whatever our clocks say of
 * each other; else by its arrival.
 */
function isTooOld({ arrivedAt, createdAt }: Evidence, { since, clockOffset }: Search): boolean {
  if (createdAt === null || clockOffset === undefined) return arrivedAt < since - CLOCK_TOLERANCE;
  return createdAt < since + clockOffset - API_CLOCK_TOLERANCE;
}

/** Whose a task is, among those whom it fits. */
export type Choice<S extends Search> =
  | { kind: 'nobody' }
  | { kind: 'one'; search: S }
  /** Submits of different models, or templates, that explain it equally well. */
  | { kind: 'alike'; searches: S[] };

/**
 * The submit that a task is granted to: the one whose model explains most of it. Of the same model, the one with the
 * most fields sent, and among equals the latest: those have bought the same, and an earlier submit may have bought every
 * task that a later one may have bought, and others besides. Of different models that explain it equally well nobody can
 * choose, nor of different templates where nobody tells which one the task is of.
 */
export function choose<S extends Search>(
  task: Evidence,
  fitting: readonly S[],
  shapeOf: (model: string) => ModelShape | undefined,
): Choice<S> {
  const rated = fitting.map((search) => {
    const shape = shapeOf(search.model);
    return { search, rest: shape === undefined ? 0 : unexplained(task.fields, search.fields, shape.takes) };
  });
  const least = Math.min(...rated.map(({ rest }) => rest));
  const [first, ...others] = rated
    .filter(({ rest }) => rest === least)
    .map(({ search }) => search)
    .sort(byEvidence);
  if (first === undefined) return { kind: 'nobody' };
  const other = others.find(
    ({ model, fields }) => model !== first.model || !areOfOneTemplate(fields, first.fields),
  );
  return other === undefined ? { kind: 'one', search: first } : { kind: 'alike', searches: [first, other] };
}

function byEvidence(a: Search, b: Search): number {
  return Object.keys(b.fields).length - Object.keys(a.fields).length || b.since - a.since;
}
