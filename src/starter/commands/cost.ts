import { Command, InvalidArgumentError } from 'commander';
import { MediaApi } from '../../api/client/media-api.ts';
import { type BalanceChange, balanceChange, readBalance } from '../../client/cost/balance-change.ts';
import { type CostBy, type CostRow, type CostTable, costTable } from '../../client/cost/cost-table.ts';
import { type ChargedTask, type Reconciliation, reconcile } from '../../client/cost/reconcile.ts';
import { loadConfig } from '../../config/worker-config.ts';
import { TAG } from '../../contract/tags.ts';
import { type Bill, readBill } from '../../temporal/bill/read-bill.ts';
import type { BilledTask } from '../../temporal/bill/run-bill.ts';
import { formatTable } from '../../terminal/table.ts';
import type { Answer, Answering } from '../answer.ts';
import { focusCsv } from '../describe/focus-csv.ts';
import { UsageError } from '../failures/usage-error.ts';
import { readTime } from '../request/read-time.ts';
import { type Session, withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  since?: Date;
  by: CostBy[];
  csv?: true;
  reconcile?: true;
  sinceBalance?: number;
}

const WEEK = 7 * 24 * 60 * 60_000;
/** Tasks of a kind that are named one by one. */
const NAMED = 20;

/** `cost`: what was bought, each task once, whatever was Reset, reused or run again. */
export function costCommand(answering: Answering): Command {
  const command = new Command('cost')
    .description('show what was bought: by model, workspace, tag and day')
    .option('--since <age>', 'how long ago, like 12h, or a time like 2026-11-01 (default: 7d)', readTime)
    .option('--by <groups>', 'of model, workspace, day and tag:<name>, with commas', readGroups, ['model'])
    .option('--csv', "CSV with FOCUS's column names")
    .option('--reconcile', "compare with the API's records: names charges that the bill does not explain")
    .option(
      '--since-balance <credits>',
      'with --reconcile: the balance at the time of --since; tells what has left or come in besides',
      readCredits,
    )
    .action(answering(cost));
  return withOwnExamples(
    command,
    'cost',
    'cost --since 30d --by tag:team,day --csv',
    'cost --since 1d --reconcile --json',
    'cost --since 2026-11-24 --since-balance 1000 --reconcile',
  );
}

async function cost(options: Options): Promise<Answer> {
  const { since: beginning = new Date(Date.now() - WEEK), by, csv } = options;
  if (options.sinceBalance !== undefined && (options.since === undefined || options.reconcile !== true))
    throw new UsageError('--since-balance is of the time of --since, and goes with --reconcile');
  const since = beginning.getTime();
  return await withSession(async (session) => {
    const { bill, differences, balance } =
      options.reconcile === true
        ? await compare(session, since, options.sinceBalance)
        : { bill: await readBill(session.temporal, session.config.taskQueue, since) };
    const { tasks } = differences ?? bill;
    const table = costTable(tasks, by);
    const late = lateOf(tasks);
    const json = {
      ...table,
      late,
      ...(differences === undefined
        ? {}
        : { unexplained: differences.unexplained, foreign: differences.foreign, balance: balance ?? null }),
    };
    if (csv === true) return { json, text: focusCsv(table.rows, { since, until: Date.now() }) };
    const notes = [
      ...(bill.isCut ? [`Only the first ${bill.runs} runs were read: name a later --since.`] : []),
      ...describeLate(late),
      ...(differences === undefined ? describeOpen(table) : describeDifferences(differences)),
      ...(balance === undefined ? [] : describeBalance(balance)),
    ];
    return { json, text: [describeTable(table, by), ...notes].join('\n') };
  });
}

interface Compared {
  bill: Bill;
  differences: Reconciliation;
  /** Undefined where the API does not tell it; of what it was before only where somebody has told that. */
  balance?: Pick<BalanceChange, 'now'> & Partial<BalanceChange>;
}

async function compare(
  { temporal, config }: Session,
  since: number,
  before: number | undefined,
): Promise<Compared> {
  const { apiUrl, workspaces } = loadConfig();
  const { taskQueue } = config;
  const api = new MediaApi(apiUrl);
  try {
    // Before the bill: what is bought meanwhile is in neither.
    const now = await readBalance(api, workspaces);
    const bill = await readBill(temporal, taskQueue, since);
    const differences = await reconcile({ client: temporal, api, taskQueue }, bill, workspaces);
    if (now === undefined) return { bill, differences };
    if (before === undefined) return { bill, differences, balance: { now: now.credits } };
    const { tasks } = differences;
    const balance = balanceChange(before, now, { tasks, earlier: bill.earlier }, workspaces);
    return { bill, differences, balance };
  } finally {
    await api.close();
  }
}

function describeTable({ rows, total }: CostTable, by: readonly CostBy[]): string {
  if (rows.length === 0) return 'Nothing was bought.';
  const cells = (row: Omit<CostRow, CostBy>): string[] => [row.tasks, row.credits, row.refunded].map(String);
  return formatTable(
    [...by, 'tasks', 'credits', 'refunded'],
    [
      ...rows.map((row) => [...by.map((one) => row[one] ?? '(none)'), ...cells(row)]),
      [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cells(total)],
    ],
  );
}

/** What a person must know who takes the sums for the API's. */
function describeOpen({ open: { tasks, credits } }: CostTable): string[] {
  if (tasks === 0) return [];
  return [
    `${tasks} of the tasks (${credits} credits) have the price of their submit: no run has told how they ended, so it may have been given back. --reconcile asks the API.`,
  ];
}

/** A task that its run does not tell of, and what it has cost. */
interface LateTask extends ChargedTask {
  workflowId: string;
}

function lateOf(tasks: readonly BilledTask[]): LateTask[] {
  return tasks.flatMap(({ isLate, taskId, workflowId, credits, refunded }) =>
    isLate === true ? [{ taskId, workflowId, credits: credits - refunded }] : [],
  );
}

function describeLate(late: readonly LateTask[]): string[] {
  if (late.length === 0) return [];
  return [
    `Known late, of submits that were given up and turned out to be charged: ${late.length}`,
    ...list(late),
  ];
}

function list(tasks: readonly (ChargedTask & { workflowId?: string })[]): string[] {
  const lines = tasks.slice(0, NAMED).map(({ taskId, credits, workflowId }) => {
    const of = workflowId === undefined ? '' : `, of ${workflowId}`;
    return `  ${taskId}: ${credits} credits${of}`;
  });
  return [...lines, ...(tasks.length > NAMED ? [`  and ${tasks.length - NAMED} more, see --json`] : [])];
}

function describeDifferences({ unexplained, foreign, unread }: Reconciliation): string[] {
  return [
    `Tasks of ours that the API charged otherwise: ${unexplained.length}`,
    ...list(unexplained),
    `Tasks of the last hour that nobody here has bought: ${foreign.length}`,
    ...list(foreign),
    ...(unread === 0 ? [] : [`${unread} records could not be read.`]),
  ];
}

function describeBalance({
  now,
  before,
  bought,
  unexplained = 0,
  refundedEarlier = 0,
}: NonNullable<Compared['balance']>): string[] {
  if (before === undefined) return [`The balance is ${now} credits.`];
  const rest =
    unexplained === 0
      ? 'the bill explains it.'
      : unexplained > 0
        ? `${unexplained} more have left it: bought by others, or expired.`
        : `${-unexplained} have come in: by a top-up, or given back.`;
  const earlier = `Tasks that were bought before have given ${refundedEarlier} credits back, perhaps since then.`;
  return [
    `The balance was ${before} credits, and is ${now}; the bill has ${bought}: ${rest}`,
    ...(unexplained === 0 || refundedEarlier === 0 ? [] : [earlier]),
  ];
}

function readCredits(text: string): number {
  if (!/^\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('It is a number of credits, like 1000.');
  return Number(text);
}

function readGroups(text: string): CostBy[] {
  return text.split(',').map((group): CostBy => {
    if (group === 'model' || group === 'workspace' || group === 'day') return group;
    const name = group.startsWith('tag:') ? group.slice('tag:'.length) : '';
    if (!TAG.test(name)) throw new InvalidArgumentError('It is of model, workspace, day and tag:<name>.');
    return `tag:${name}`;
  });
}
