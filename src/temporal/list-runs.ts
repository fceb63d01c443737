import type { Client, WorkflowExecutionInfo } from '@temporalio/client';
import proto, { type temporal } from '@temporalio/proto';
import { isNotSearchable } from './grpc-status.ts';
import { decodeFields, timeOf } from './history.ts';
import { isComparable, visibilityText } from './visibility-query.ts';

/** A condition of a visibility query: an attribute's name, how it compares, and with what. */
export type Condition = readonly [
  name: string,
  operator: '=' | '!=' | '>=' | '<' | 'IN' | 'IS NOT NULL',
  ...values: string[],
];

/**
 * The runs that meet all conditions, as Temporal's visibility lists them: open ones first, then by age. It lags by
 * about 0.1 s.
 *
 * @returns none, too, where no worker has registered a search attribute yet: no run can have it
 */
export async function listRuns(
  client: Client,
  conditions: readonly Condition[],
  limit: number,
): Promise<WorkflowExecutionInfo[]> {
  // No name of ours can hold what cannot be compared.
  if (!conditions.flatMap(([, , ...values]) => values).every(isComparable)) return [];
  const query = conditions.map(toText).join(' AND ');
  const found: WorkflowExecutionInfo[] = [];
  try {
    for await (const info of client.workflow.list({ query, pageSize: Math.min(limit, 1_000) })) {
      found.push(info);
      if (found.length >= limit) break;
    }
  } catch (error) {
    if (!isNotSearchable(error)) throw error;
  }
  return found;
}

/** How many runs meet all conditions. None, too, where no worker has registered a search attribute yet. */
export async function countRuns(client: Client, conditions: readonly Condition[]): Promise<number> {
  try {
    const { namespace } = client.options;
    const query = conditions.map(toText).join(' AND ');
    const { count } = await client.workflowService.countWorkflowExecutions({ namespace, query });
    return Number(count ?? 0);
  } catch (error) {
    if (isNotSearchable(error)) return 0;
    throw error;
  }
}

/** One run, as a list has it. */
export interface ListedRun {
  workflowId: string;
  runId: string;
  type: string;
  taskQueue: string;
  /** RUNNING, COMPLETED, FAILED, CANCELLED, TERMINATED, TIMED_OUT, CONTINUED_AS_NEW */
  status: string;
  startedAt: Date;
  closedAt: Date | null;
  /** Search attributes by name. */
  attributes: Readonly<Record<string, unknown>>;
  memo: Readonly<Record<string, unknown>>;
}

export interface RunPage {
  runs: ListedRun[];
  /** Where the next page begins; null after the last one. */
  next: string | null;
}

const { WorkflowExecutionStatus } = proto.temporal.api.enums.v1;

/**
 * One page of what `listRuns` lists.
 *
 * @param from `next` of the page before; the first one when undefined
 */
export async function listRunPage(
  client: Client,
  conditions: readonly Condition[],
  pageSize: number,
  from?: string,
): Promise<RunPage> {
  if (!conditions.flatMap(([, , ...values]) => values).every(isComparable)) return { runs: [], next: null };
  try {
    return await queryPage(client, conditions.map(toText).join(' AND '), pageSize, from);
  } catch (error) {
    if (isNotSearchable(error)) return { runs: [], next: null };
    throw error;
  }
}

async function queryPage(client: Client, query: string, pageSize: number, from?: string): Promise<RunPage> {
  const { executions, nextPageToken } = await client.workflowService.listWorkflowExecutions({
    namespace: client.options.namespace,
    query,
    pageSize,
    nextPageToken: Buffer.from(from ?? '', 'base64url'),
  });
  const next = Buffer.from(nextPageToken ?? []).toString('base64url');
  return { runs: (executions ?? []).map(toListedRun), next: next === '' ? null : next };
}

/**
 * All runs that meet a query in Temporal's own words and the conditions.
 *
 * @throws the server's error where the query is none
 */
export async function queryRuns(
  client: Client,
  query: string,
  conditions: readonly Condition[],
  most: number,
): Promise<ListedRun[]> {
  return await allRuns(client, [...conditions.map(toText), `(${query})`].join(' AND '), most);
}

async function allRuns(client: Client, query: string, most: number): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  let from: string | undefined;
  do {
    const { runs, next } = await queryPage(client, query, MOST_A_PAGE, from);
    found.push(...runs);
    from = next ?? undefined;
  } while (from !== undefined && found.length < most);
  return found.slice(0, most);
}

const MOST_A_PAGE = 1_000;
/** Workflow ids that one query asks for. */
const IDS_AT_ONCE = 100;
/** Later runs that are looked at for them. */
const MOST_LATER_RUNS = 10_000;

/** The runs that still stand for their workflow id: without those that a later run of the same id has followed. */
export async function withoutFollowed(client: Client, runs: readonly ListedRun[]): Promise<ListedRun[]> {
  const latest = new Map(
    (await latestRuns(client, runs)).map((run) => [run.workflowId, run.startedAt.getTime()]),
  );
  return runs.filter(({ workflowId, startedAt }) => startedAt.getTime() >= (latest.get(workflowId) ?? 0));
}

/** The runs that have followed these, the latest of each id; none where none has. */
export async function laterRuns(client: Client, runs: readonly ListedRun[]): Promise<ListedRun[]> {
  const before = new Set(runs.map(({ runId }) => runId));
  return (await latestRuns(client, runs)).filter(({ runId }) => !before.has(runId));
}

/** The latest runs of the ids of these. */
async function latestRuns(client: Client, runs: readonly ListedRun[]): Promise<ListedRun[]> {
  const latest = new Map<string, ListedRun>();
  for (let from = 0; from < runs.length; from += IDS_AT_ONCE) {
    const some = runs.slice(from, from + IDS_AT_ONCE).filter(({ workflowId }) => isComparable(workflowId));
    if (some.length === 0) continue;
    const oldest = new Date(Math.min(...some.map(({ startedAt }) => startedAt.getTime())));
    const ids = [...new Set(some.map(({ workflowId }) => workflowId))];
    const conditions: Condition[] = [
      ['WorkflowId', 'IN', ...ids],
      ['StartTime', '>=', oldest.toISOString()],
    ];
    for (const run of await allRuns(client, conditions.map(toText).join(' AND '), MOST_LATER_RUNS)) {
      const known = latest.get(run.workflowId);
      if (known === undefined || known.startedAt <= run.startedAt) latest.set(run.workflowId, run);
    }
  }
  return [...latest.values()];
}

function toListedRun(raw: temporal.api.workflow.v1.IWorkflowExecutionInfo): ListedRun {
  const { execution, type, taskQueue, status, startTime, closeTime, searchAttributes, memo } = raw;
  const name = WorkflowExecutionStatus[status ?? 0]?.replace('WORKFLOW_EXECUTION_STATUS_', '') ?? 'UNKNOWN';
  return {
    workflowId: execution?.workflowId ?? '',
    runId: execution?.runId ?? '',
    type: type?.name ?? '',
    taskQueue: taskQueue ?? '',
    status: name === 'CANCELED' ? 'CANCELLED' : name, // as the SDK spells it
    startedAt: new Date(timeOf({ eventTime: startTime ?? null })),
    closedAt: closeTime ? new Date(timeOf({ eventTime: closeTime })) : null,
    attributes: decodeFields(searchAttributes?.indexedFields),
    memo: decodeFields(memo?.fields),
  };
}

function toText([name, operator, ...values]: Condition): string {
  const texts = values.map(visibilityText).join(', ');
  return `${name} ${operator} ${operator === 'IN' ? `(${texts})` : texts}`.trimEnd();
}
