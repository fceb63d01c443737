import { isRecord } from '../../api/json/is-record.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { ToldTasks } from '../../contract/purchases/told-tasks.ts';
import { decode, decodeFields, type HistoryEvent } from '../history.ts';

/** What a run of a generation tells of itself. `charged`: undefined where it is a step that was cancelled. */
export interface ToldEnd extends ToldTasks {
  charged?: Usage;
}

/** In its result, its failure, or the memo of its cancellation; nothing where it was ended otherwise, or runs. */
export function toldBy(events: readonly HistoryEvent[]): ToldEnd {
  const last = events.at(-1);
  const { result } = last?.workflowExecutionCompletedEventAttributes ?? {};
  const { failure } = last?.workflowExecutionFailedEventAttributes ?? {};
  const [told] = decode<[ToldEnd]>(result ?? failure?.applicationFailureInfo?.details);
  if (Array.isArray(told?.attempts)) return told;
  const memos = events.map((event) =>
    decodeFields(event.workflowPropertiesModifiedEventAttributes?.upsertedMemo?.fields),
  );
  const left = memos.findLast((memo) => isRecord(memo['cancelled']))?.['cancelled'];
  return (left as ToldEnd | undefined) ?? {}; // as a cancelled generation leaves it
}
