import { isRecord } from '../../api/json/is-record.ts';
import { DarkroomModel, DarkroomState, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { TAGS_MEMO } from '../../contract/tags.ts';
import type { ListedRun } from '../../temporal/list-runs.ts';
import type { WorkflowKind } from '../workflow-id.ts';

/** One run in a list; what does not apply is null. */
export interface RunSummary<Type extends string = WorkflowKind> {
  workflowId: string;
  runId: string;
  type: Type;
  /** Temporal's word: RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED or TIMED_OUT. */
  status: string;
  /** Set only where a run needs a look: `needs a decision`, `waiting for credits`, … */
  state: string | null;
  /** Of a generation that has a task. */
  model: string | null;
  workspace: string | null;
  /** ISO 8601. */
  startedAt: string;
  closedAt: string | null;
}

/** A run as lists show it. A Keyword attribute is a text, or a list of one. */
export function summaryOf<Type extends string = WorkflowKind>({
  attributes,
  ...run
}: Omit<ListedRun, 'memo' | 'taskQueue'>): RunSummary<Type> {
  const word = (name: string): string | null => {
    const [value] = [attributes[name]].flat();
    return typeof value === 'string' ? value : null;
  };
  return {
    workflowId: run.workflowId,
    runId: run.runId,
    type: run.type as Type, // the query asks for no others
    status: run.status,
    state: word(DarkroomState.name),
    model: word(DarkroomModel.name),
    workspace: word(DarkroomWorkspace.name),
    startedAt: run.startedAt.toISOString(),
    closedAt: run.closedAt?.toISOString() ?? null,
  };
}

/** The tags in a run's memo; undefined where none are noted there. */
export function notedTags(memo: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
  const tags = memo[TAGS_MEMO];
  return isRecord(tags) ? tags : undefined;
}
