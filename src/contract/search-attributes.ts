import { defineSearchAttributeKey } from '@temporalio/common';

/** The four Keyword search attributes; the worker registers them when they are missing. */
export const DarkroomTaskId = defineSearchAttributeKey('DarkroomTaskId', 'KEYWORD');
export const DarkroomModel = defineSearchAttributeKey('DarkroomModel', 'KEYWORD');
export const DarkroomWorkspace = defineSearchAttributeKey('DarkroomWorkspace', 'KEYWORD');
/** Set only in states that need a look, and while a further task is bought. */
export const DarkroomState = defineSearchAttributeKey('DarkroomState', 'KEYWORD');

export const SEARCH_ATTRIBUTES = [DarkroomTaskId, DarkroomModel, DarkroomWorkspace, DarkroomState] as const;

/** Value of DarkroomState while the API is away and a submit is tried again and again. */
export const SUBMIT_HELD_UP = 'submit is held up';

/**
 * What a generation tells its pipeline while its submit waits for room in a budget or cap that others hold. It goes on by
 * itself, so nobody has to look, and it is no value of DarkroomState.
 */
export const WAITING_FOR_BUDGET = 'waiting for its budget';

/** Values of DarkroomState that a person has to look at, the most urgent first. */
export const NEEDS_A_LOOK = [
  'needs a decision',
  'waiting for approval',
  'waiting for credits',
  'storing is held up',
  'record cannot be read',
  SUBMIT_HELD_UP,
] as const;

/**
 * Value of DarkroomState while a further task is bought: such a run may be about to hold another task than the one
 * it is searchable by.
 */
export const SUBMITTING_AGAIN = 'submitting again';

/** Characters that a Keyword attribute takes on every server. */
const LONGEST_NAME = 255;

/** Whether a value of a request that nobody has checked can be a Keyword attribute. */
export function isSearchable(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_NAME;
}
