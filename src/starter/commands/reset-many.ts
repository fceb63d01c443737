import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline/promises';
import { type Charges, chargesAfter } from '../../client/plan/charged-runs.ts';
import { type Survey, surveyRuns } from '../../client/plan/survey-runs.ts';
import { type ListedRun, queryRuns, withoutFollowed } from '../../temporal/list-runs.ts';
import { type ResetCounts, resetRuns } from '../../temporal/reset-runs.ts';
import type { Answer } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { type Session, withSession } from '../session.ts';

export interface ManyOptions {
  query: string;
  dryRun?: true;
  yes?: true;
  json?: true;
  timeout?: number;
}

/** Runs of one command: what its survey reads fits into memory, and into a minute or ten. */
const MOST = 10_000;
/** How long the new runs are waited for (milliseconds). */
const PATIENCE = 10 * 60_000;

interface Receipt extends Survey {
  /** The id of Temporal's batch operations, and the reason in the history of each new run. */
  receipt: string;
  runs: number;
}

/** `reset --query`: a survey first; then Temporal resets all that it has listed; then what that has cost. */
export async function resetMany(options: ManyOptions): Promise<Answer> {
  const { query, dryRun, yes, json, timeout = PATIENCE } = options;
  return await withSession(async (session) => {
    const { temporal, files } = session;
    const runs = await runsToReset(session, query);
    const receipt: Receipt = {
      receipt: receiptId(),
      runs: runs.length,
      ...(await surveyRuns(temporal, files, runs)),
    };
    if (dryRun === true || runs.length === 0) return { json: receipt, text: describeReceipt(receipt) };
    if (yes !== true) await confirm(receipt, json === true);
    const counts = await resetRuns(temporal, runs, receipt.receipt, ({ reset, failed }) =>
      process.stderr.write(`${reset + failed} of ${runs.length} reset\n`),
    );
    const charged = await chargesAfter(temporal, runs, timeout);
    return {
      json: { ...receipt, ...counts, charged },
      text: [describeReceipt(receipt), describeOutcome(receipt, counts, charged)].join('\n'),
    };
  });
}

/**
 * The latest run of each id that the query finds. Of a pipeline and a step of it, the pipeline alone: it takes its
 * steps along.
 */
async function runsToReset({ temporal, config }: Session, query: string): Promise<ListedRun[]> {
  const found = await queryRuns(
    temporal,
    query,
    [
      ['TaskQueue', '=', config.taskQueue],
      ['WorkflowType', 'IN', 'generation', 'pipeline'],
    ],
    MOST,
  );
  const standing = await withoutFollowed(temporal, found);
  const pipelines = new Set(
    standing.filter(({ type }) => type === 'pipeline').map(({ workflowId }) => workflowId),
  );
  return standing.filter(({ workflowId }) => !isBelow(workflowId, pipelines));
}

function isBelow(workflowId: string, pipelines: ReadonlySet<string>): boolean {
  for (let end = workflowId.lastIndexOf('/'); end > 0; end = workflowId.lastIndexOf('/', end - 1))
    if (pipelines.has(workflowId.slice(0, end))) return true;
  return false;
}

function receiptId(): string {
  const time = new Date().toISOString().replace(/\D/g, '').slice(0, 14);
  return `reset-${time}-${randomBytes(3).toString('hex')}`;
}

/** @throws UsageError where nobody can be asked, or somebody says no */
async function confirm(receipt: Receipt, isJson: boolean): Promise<void> {
  if (isJson || !process.stdin.isTTY)
    throw new UsageError('it buys: look at what with --dry-run, then confirm with --yes');
  const asking = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await asking.question(`${describeReceipt(receipt)}\nReset them? [y/N] `);
    if (!/^y(es)?$/i.test(answer.trim())) throw new UsageError('nothing was reset');
  } finally {
    asking.close();
  }
}

function describeReceipt({ receipt, runs, adopts, buys, unknown, credits: { low, high } }: Receipt): string {
  if (runs === 0) return 'The query finds no run to reset.';
  const tasks = [
    adopts > 0 ? `${adopts} taken over` : [],
    buys > 0 ? `${buys} bought again` : [],
    unknown > 0 ? `${unknown} not known before` : [],
  ].flat();
  const price =
    high === null
      ? `at least ${low} credits (not all prices are known)`
      : low === high
        ? `${low} credits`
        : `${low} to ${high} credits`;
  return `${runs} runs (receipt ${receipt}). Tasks: ${tasks.join(', ')}; ${price}`;
}

function describeOutcome({ credits }: Receipt, { reset, failed }: ResetCounts, charged: Charges): string {
  const ends = Object.entries(charged.ended).map(
    ([status, count]) => `${count} ${status.toLowerCase().replaceAll('_', ' ')}`,
  );
  const open = charged.open > 0 ? `; ${charged.open} go on` : '';
  const predicted = credits.high === null ? `at least ${credits.low}` : `${credits.low} to ${credits.high}`;
  return [
    `${reset} were reset${failed > 0 ? `, ${failed} could not be` : ''}: ${ends.join(', ') || 'none has ended'}${open}`,
    `charged: ${charged.credits} credits (predicted: ${predicted})`,
  ].join('\n');
}
