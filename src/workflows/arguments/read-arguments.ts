import type { ApplicationFailure } from '@temporalio/common';
import { workflowInfo } from '@temporalio/workflow';
import { type EntityKind, isEntityId } from '../../contract/workflow-ids.ts';
import { invalidRequest } from './invalid-request.ts';
import type { Shape } from './shapes.ts';

/** Characters of a workspace's name. */
export const LONGEST_WORKSPACE = 100;

/**
 * What a run hands on to its next one counts only where Temporal says that the run goes on for another: anybody can
 * start a workflow with a second argument.
 *
 * @returns undefined where nothing was handed on
 * @throws INVALID_REQUEST where something was handed to a first run, or has another shape
 */
export function readHandedOn<T>(value: unknown, shape: Shape<T>): T | undefined {
  if (value === undefined || value === null) return undefined;
  if (!goesOn())
    throw wrong('has more than one argument: the others are what a run hands on to its next one');
  if (!shape(value)) throw wrong('has been continued with something that is not what its runs hand on');
  return value;
}

/**
 * The argument of an entity: the workspace of its id, or its scope, and what the run before this one has handed on.
 *
 * @param others what a first run may be started with, beside that
 * @throws INVALID_REQUEST
 */
export function readEntity<T extends { workspace: string } | { scope: string }>(
  kind: EntityKind,
  value: unknown,
  shape: Shape<T>,
  others: readonly (keyof T)[] = [],
): T {
  const { workflowId } = workflowInfo();
  const of = kind === 'account' ? 'scope' : 'workspace';
  const first = new Set<PropertyKey>([of, ...others]);
  const isRight = shape(value) && (goesOn() || Object.keys(value).every((name) => first.has(name)));
  if (!isRight)
    throw wrong(`is not what a first run of ${kind} takes: { ${[...first].map(String).join(', ')} }`);
  if (!isEntityId(kind, nameOf(value), workflowId))
    throw wrong(`is for another workflow id: ${kind} has one for each ${of} and task queue`);
  return value;
}

function nameOf(value: { workspace: string } | { scope: string }): string {
  return 'scope' in value ? value.scope : value.workspace;
}

/**
 * Whether this run goes on for another one of ours, which has written its arguments. One that Temporal has started again,
 * by a cron schedule or a retry policy, has those of its caller; it is told how the run before it has ended, and one that
 * was continued as new is not.
 */
function goesOn(): boolean {
  const { continuedFromExecutionRunId, lastFailure, lastResult } = workflowInfo();
  return continuedFromExecutionRunId !== undefined && lastFailure === undefined && lastResult === undefined;
}

/** @param message follows "request" */
export function wrong(message: string): ApplicationFailure {
  return invalidRequest([{ path: 'request', message }]);
}
