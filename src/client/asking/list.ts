import type { Client } from '@temporalio/client';
import pLimit from 'p-limit';
import type { ModelId } from '../../api/models/registry.ts';
import { DarkroomModel, DarkroomWorkspace } from '../../contract/search-attributes.ts';
import { readRequest } from '../../temporal/history.ts';
import { type Condition, type ListedRun, listRunPage, withoutFollowed } from '../../temporal/list-runs.ts';
import type { WorkflowKind } from '../workflow-id.ts';
import { inState, isInVain } from './run-state.ts';
import { notedTags, type RunSummary, summaryOf } from './run-summary.ts';

/** Which runs to list: all conditions together. */
export interface ListFilter {
  type?: WorkflowKind | undefined;
  /**
   * `running`, `completed`, `failed`, `canceled`, … or a state that needs a look, like `needs a decision`. What has ended
   * in vain is left out where a later run of the same id has followed.
   */
  state?: string | undefined;
  /** Generations with one model, as soon as they have a task or have failed; pipelines by the step that needs a look, or has failed, else the first. */
  model?: ModelId | undefined;
  /** Pipelines in one workspace, and generations as soon as they have a task or have failed. */
  workspace?: string | undefined;
  /** Runs that were started with all of these tags. */
  tags?: Record<string, string> | undefined;
  /** Runs that were started at this time or later. */
  since?: Date | undefined;
  /** Runs that were started before this time. */
  until?: Date | undefined;
  /** Runs a page, from 1 to 1,000; 20 when absent. By tags or of what has failed, a page may hold fewer although more follow. */
  limit?: number | undefined;
  /** `next` of the page before. */
  from?: string | undefined;
}

export interface RunList {
  runs: RunSummary[];
  /** Where the next page begins: give it as `from`. Null after the last one. */
  next: string | null;
}

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** Pages that are looked through for what is wanted before an empty one is handed out. */
const MOST_PAGES = 10;
/** Histories that are asked at once. */
const AT_ONCE = 10;

/** Generations, pipelines and batches of a task queue: open ones first, then by age. Temporal's lists lag by about 0.1 s. */
export async function listFiltered(client: Client, taskQueue: string, filter: ListFilter): Promise<RunList> {
  const { limit = DEFAULT_LIMIT, tags = {} } = filter;
  const state = filter.state?.toLowerCase() ?? '';
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new RangeError(`limit is a whole number from 1 to ${MAX_LIMIT}; got ${limit}`);
  const conditions = [['TaskQueue', '=', taskQueue] as const, ...conditionsOf(filter)];
  let { from } = filter;
  for (let page = 1; ; page += 1) {
    const { runs, next } = await listRunPage(client, conditions, limit, from);
    const wanted = isInVain(state) ? await withoutFollowed(client, runs) : runs;
    const tagged = await withTags(client, wanted, tags);
    if (tagged.length > 0 || next === null || page === MOST_PAGES)
      return { runs: tagged.map(summaryOf), next };
    from = next;
  }
}

function conditionsOf({ type, state, model, workspace, since, until }: ListFilter): Condition[] {
  return [
    type === undefined
      ? ['WorkflowType', 'IN', 'generation', 'pipeline', 'batch']
      : ['WorkflowType', '=', type],
    ...(state === undefined ? [] : [inState(state.toLowerCase())]),
    ...(model === undefined ? [] : [[DarkroomModel.name, '=', model] as const]),
    ...(workspace === undefined ? [] : [[DarkroomWorkspace.name, '=', workspace] as const]),
    ...(since === undefined ? [] : [['StartTime', '>=', since.toISOString()] as const]),
    ...(until === undefined ? [] : [['StartTime', '<', until.toISOString()] as const]),
  ];
}

/** Those that were started with all of these tags. */
export async function withTags(
  client: Client,
  runs: readonly ListedRun[],
  wanted: Readonly<Record<string, string>>,
): Promise<ListedRun[]> {
  const names = Object.keys(wanted);
  if (names.length === 0) return [...runs];
  const next = pLimit(AT_ONCE);
  const tags = await Promise.all(runs.map((run) => next(() => tagsOf(client, run))));
  return runs.filter((_, index) => names.every((name) => tags[index]?.[name] === wanted[name]));
}

/** A run that another client has started, or a pipeline, has its tags in its argument alone. */
async function tagsOf(client: Client, run: ListedRun): Promise<Readonly<Record<string, unknown>>> {
  const noted = notedTags(run.memo);
  if (noted !== undefined) return noted;
  const { workflowId, runId } = run;
  const request = await readRequest<{ tags?: unknown }>(client, workflowId, runId).catch(() => undefined);
  return notedTags({ ...request }) ?? {};
}
