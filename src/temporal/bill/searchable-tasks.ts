import { defaultPayloadConverter } from '@temporalio/common';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import type { HistoryEvent } from '../history.ts';

/** The tasks that a run makes itself searchable by in an event: it holds them. */
export function searchableTaskIds(event: HistoryEvent): string[] {
  const attributes = event.upsertWorkflowSearchAttributesEventAttributes?.searchAttributes?.indexedFields;
  const payload = attributes?.[DarkroomTaskId.name];
  if (!payload) return [];
  const value: unknown = defaultPayloadConverter.fromPayload(payload);
  return [value].flat().filter((id): id is string => typeof id === 'string' && id !== '');
}
