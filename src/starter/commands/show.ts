import type { Client, WorkflowExecutionDescription } from '@temporalio/client';
import { Command } from 'commander';
import { followResult } from '../../client/follow-result.ts';
import type { ReadFailure } from '../../client/read-failure.ts';
import type { FailureDetails, GenerationResult, Progress } from '../../contract/generation.ts';
import type { PipelineProgress, PipelineResult } from '../../contract/pipeline.ts';
import { formatTable } from '../../terminal/table.ts';
import type { Answer, Answering } from '../answer.ts';
import { describeFailure } from '../describe/describe-failure.ts';
import {
  describeAttempts,
  describeGenerationResult,
  describeUsage,
} from '../describe/describe-generation.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { webUiUrl } from '../describe/web-ui.ts';
import { progressNote } from '../follow/progress-note.ts';
import { type Session, withSession } from '../session.ts';

const QUERY_TIMEOUT = 5_000;

/** Everything about one run; what does not apply is null. */
interface RunReport {
  workflowId: string;
  runId: string;
  type: string;
  /** Temporal's word: RUNNING, COMPLETED, FAILED, … */
  status: string;
  summary: string | null;
  startedAt: string;
  closedAt: string | null;
  /** What a running one answers; null when no worker answers. */
  progress: Progress | PipelineProgress | null;
  /** The Web UI's Current Details of a running one, in Markdown. */
  details: string | null;
  result: GenerationResult | PipelineResult | null;
  failure: ReadFailure | null;
  webUi: string | null;
}

/** `show <workflow id>`: how a run stands, what it did and what it cost, without waiting. */
export function showCommand(answering: Answering): Command {
  return new Command('show')
    .description('show how a generation or a pipeline stands, what it did and what it cost')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .action(answering((workflowId: string) => withSession((session) => show(session, workflowId))));
}

async function show({ config, temporal }: Session, workflowId: string): Promise<Answer> {
  const description = await temporal.workflow.getHandle(workflowId).describe();
  const report: RunReport = {
    workflowId,
    runId: description.runId,
    type: description.type,
    status: description.status.name,
    summary: (await description.staticSummary()) ?? null,
    startedAt: description.startTime.toISOString(),
    closedAt: description.closeTime?.toISOString() ?? null,
    ...(await readState(temporal, workflowId, description)),
    webUi: webUiUrl(config.temporal, workflowId) ?? null,
  };
  return { json: report, text: describeReport(report) };
}

async function readState(
  temporal: Client,
  workflowId: string,
  { runId, status }: WorkflowExecutionDescription,
): Promise<Pick<RunReport, 'progress' | 'details' | 'result' | 'failure'>> {
  const nothing = { progress: null, details: null, result: null, failure: null };
  if (status.name === 'RUNNING') {
    const handle = temporal.workflow.getHandle(workflowId, runId);
    // No answer: no worker is running. The rest is worth showing all the same.
    const ask = <T>(query: string): Promise<T | null> =>
      temporal.withDeadline(Date.now() + QUERY_TIMEOUT, () => handle.query<T>(query)).catch(() => null);
    const [progress, metadata] = await Promise.all([
      ask<Progress | PipelineProgress>('progress'),
      ask<{ currentDetails?: string }>('__temporal_workflow_metadata'),
    ]);
    return { ...nothing, progress, details: metadata?.currentDetails ?? null };
  }
  const outcome = await followResult(temporal, workflowId, runId);
  if (!outcome.ok) return { ...nothing, failure: outcome.failure };
  return { ...nothing, result: outcome.result as RunReport['result'] }; // by its workflow type
}

function describeReport(report: RunReport): string {
  const { workflowId, runId, type, status, summary, startedAt, closedAt, webUi } = report;
  const head = [
    `${workflowId} (${type}): ${status.toLowerCase()}`,
    ...(summary === null ? [] : [`  ${summary}`]),
    `  started ${startedAt}${closedAt === null ? '' : `, closed ${closedAt}`}`,
    `  run ${runId}`,
    ...(webUi === null ? [] : [`  ${webUi}`]),
  ];
  return [...head, ...describeState(report)].join('\n');
}

function describeState({
  workflowId,
  type,
  status,
  progress,
  details,
  result,
  failure,
}: RunReport): string[] {
  if (result !== null) {
    return ['steps' in result ? describePipelineResult(result) : describeGenerationResult(result)];
  }
  if (failure !== null) return [describeFailure(failure), ...describeLoss(failure.details)];
  if (progress === null)
    return status === 'RUNNING' && (type === 'generation' || type === 'pipeline')
      ? ['  no worker answers; start one with: npm run worker']
      : [];
  if ('steps' in progress) {
    const rows = Object.entries(progress.steps).map(([name, step]) => [
      name,
      step.model,
      (step.outcome ?? step.status).toLowerCase(),
      step.workflowIds.join('\n'),
    ]);
    return [
      formatTable(['step', 'model', 'state', 'workflow'], rows),
      `So far ${describeUsage(progress.usage)}`,
    ];
  }
  const { attempts, usage, nextPollAt } = progress;
  const holdUp = holdUpOf(details);
  return [
    ...(holdUp === undefined ? [] : [`  ${holdUp}`]),
    `  ${progressNote(progress, workflowId).note}${nextPollAt === null ? '' : `; next poll at ${nextPollAt}`}`,
    ...(attempts.length === 0 ? [] : [describeAttempts(attempts)]),
    `  so far ${describeUsage(usage)}`,
  ];
}

/** What holds a generation up: what stands after its state in `**model** — state: what holds it up`. */
function holdUpOf(details: string | null): string | undefined {
  return /^\*\*.+?\*\* — [a-z ]+: (.+)/.exec(details ?? '')?.[1];
}

/** What a failed generation had tried, or how far a failed pipeline came. */
function describeLoss(details: unknown): string[] {
  const lost = (details ?? {}) as Partial<FailureDetails> | PipelineResult; // the contract's first detail
  if ('steps' in lost) return [describePipelineResult(lost)];
  const { attempts = [], usage } = lost;
  return [
    ...(attempts.length === 0 ? [] : [describeAttempts(attempts)]),
    ...(usage === undefined ? [] : [describeUsage(usage)]),
  ];
}
