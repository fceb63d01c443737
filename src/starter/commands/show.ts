import { type Client, type WorkflowExecutionDescription, WorkflowNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { followResult } from '../../client/following/follow-result.ts';
import { DarkroomTaskId } from '../../contract/search-attributes.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { readHistory } from '../../temporal/history.ts';
import { listRuns } from '../../temporal/list-runs.ts';
import { isPolled } from '../../temporal/pollers.ts';
import type { Answer, Answering } from '../answer.ts';
import { describeReport, type RunReport, type RunState } from '../describe/describe-report.ts';
import { readTimeline } from '../describe/timeline.ts';
import { webUiUrl } from '../describe/web-ui.ts';
import { describeSilence } from '../follow/silence.ts';
import { knownId } from '../request/known-id.ts';
import { type Session, withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

const QUERY_TIMEOUT = 5_000;

/** `show <workflow id>`: how a run stands, what it did and what it cost, without waiting. */
export function showCommand(answering: Answering): Command {
  const command = new Command('show')
    .description('show how a generation, a pipeline or a batch stands, what it did, when, and what it cost')
    .argument(
      '<id>',
      'a workflow id, like generation/<key>, or its key, or the id of a task of the media API',
    )
    .action(answering((id: string) => withSession((session) => show(session, id))));
  return withOwnExamples(
    command,
    'show generation/order-17',
    'show pipeline/film-3 --json',
    'show 904db174-8f0e-4c1c-9a54-0b7a3c1c2d8e',
  );
}

async function show({ config, temporal }: Session, id: string): Promise<Answer> {
  const { workflowId, description } = await findRun(temporal, id);
  const { runId, type, status, startTime, closeTime } = description;
  const isOpen = status.name === 'RUNNING';
  const [state, events, summary] = await Promise.all([
    isOpen ? readOpen(temporal, description) : readClosed(temporal, workflowId, runId),
    readHistory(temporal, workflowId, runId),
    description.staticSummary(),
  ]);
  const report: RunReport = {
    workflowId,
    runId,
    type,
    status: status.name,
    summary: summary ?? null,
    startedAt: startTime.toISOString(),
    closedAt: closeTime?.toISOString() ?? null,
    ...state,
    timeline: readTimeline(events ?? []),
    webUi: webUiUrl(config.temporal, workflowId) ?? null,
  };
  const isOurs = type === 'generation' || type === 'pipeline' || type === 'batch';
  const silence =
    isOpen && isOurs && state.progress === null ? await describeSilence(temporal, workflowId) : undefined;
  return { json: report, text: describeReport(report, silence) };
}

/**
 * The latest run of a workflow id or key, or of the workflow that holds a task.
 *
 * @throws WorkflowNotFoundError
 */
async function findRun(temporal: Client, given: string) {
  const id = await knownId(temporal, given);
  const named = await describeRun(temporal, id);
  if (named !== undefined) return { workflowId: id, description: named };
  // Open ones come first: a task that was adopted is one of several runs.
  const [holder] = await listRuns(temporal, [[DarkroomTaskId.name, '=', id]], 1);
  const description = holder === undefined ? undefined : await describeRun(temporal, holder.workflowId);
  if (holder === undefined || description === undefined) {
    throw new WorkflowNotFoundError('neither a workflow nor a task', id, undefined);
  }
  return { workflowId: holder.workflowId, description };
}

const NOTHING: RunState = { progress: null, details: null, result: null, failure: null };

async function readOpen(
  temporal: Client,
  { workflowId, runId, taskQueue }: WorkflowExecutionDescription,
): Promise<RunState> {
  // The server would keep the question for a worker, for seconds.
  if (!(await isPolled(temporal, taskQueue))) return NOTHING;
  const handle = temporal.workflow.getHandle(workflowId, runId);
  // No answer: no worker is running. The rest is worth showing all the same.
  const ask = <T>(query: string): Promise<T | null> =>
    temporal.withDeadline(Date.now() + QUERY_TIMEOUT, () => handle.query<T>(query)).catch(() => null);
  const [progress, metadata] = await Promise.all([
    ask<NonNullable<RunState['progress']>>('progress'),
    ask<{ currentDetails?: string }>('__temporal_workflow_metadata'),
  ]);
  return { ...NOTHING, progress, details: metadata?.currentDetails ?? null };
}

async function readClosed(temporal: Client, workflowId: string, runId: string): Promise<RunState> {
  const outcome = await followResult(temporal, workflowId, runId);
  if (!outcome.ok) return { ...NOTHING, failure: outcome.failure };
  return { ...NOTHING, result: outcome.result as RunState['result'] }; // by its workflow type
}
