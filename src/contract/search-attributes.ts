import { defineSearchAttributeKey } from '@temporalio/common';

/** The four Keyword search attributes; the worker registers them when they are missing. */
export const DarkroomTaskId = defineSearchAttributeKey('DarkroomTaskId', 'KEYWORD');
export const DarkroomModel = defineSearchAttributeKey('DarkroomModel', 'KEYWORD');
export const DarkroomWorkspace = defineSearchAttributeKey('DarkroomWorkspace', 'KEYWORD');
/** Set only in states that need a look. */
export const DarkroomState = defineSearchAttributeKey('DarkroomState', 'KEYWORD');

export const SEARCH_ATTRIBUTES = [DarkroomTaskId, DarkroomModel, DarkroomWorkspace, DarkroomState] as const;

/** Values of DarkroomState that a person has to look at, the most urgent first. */
export const NEEDS_A_LOOK = [
  'needs a decision',
  'waiting for approval',
  'waiting for credits',
  'storing is held up',
] as const;

/**
 * Value of DarkroomState while a further task is bought: such a run may be about to hold another task than the one
 * it is searchable by.
 */
export const SUBMITTING_AGAIN = 'submitting again';
