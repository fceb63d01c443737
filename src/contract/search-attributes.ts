import { defineSearchAttributeKey } from '@temporalio/common';

/** The four Keyword search attributes; the worker registers them when they are missing. */
export const DarkroomTaskId = defineSearchAttributeKey('DarkroomTaskId', 'KEYWORD');
export const DarkroomModel = defineSearchAttributeKey('DarkroomModel', 'KEYWORD');
export const DarkroomWorkspace = defineSearchAttributeKey('DarkroomWorkspace', 'KEYWORD');
/** Set only in states that need a look. */
export const DarkroomState = defineSearchAttributeKey('DarkroomState', 'KEYWORD');

export const SEARCH_ATTRIBUTES = [DarkroomTaskId, DarkroomModel, DarkroomWorkspace, DarkroomState] as const;

/**
 * Value of DarkroomState while a further task is bought: such a run may be about to hold another task than the one
 * it is searchable by.
 */
export const SUBMITTING_AGAIN = 'submitting again';
