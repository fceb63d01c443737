import type { Client } from '@temporalio/client';
import { Command, InvalidArgumentError, Option } from 'commander';
import { notAModel } from '../../api/models/override.ts';
import { findModel } from '../../api/models/registry.ts';
import { withTags } from '../../client/asking/list.ts';
import { inState, isInVain } from '../../client/asking/run-state.ts';
import { type RunSummary, summaryOf } from '../../client/asking/run-summary.ts';
import {
  DarkroomModel,
  DarkroomState,
  DarkroomWorkspace,
  SUBMITTING_AGAIN,
} from '../../contract/search-attributes.ts';
import { ownCommand } from '../../package/own-command.ts';
import { readFailureTypes } from '../../temporal/failure-types.ts';
import { type Condition, type ListedRun, listRunPage, withoutFollowed } from '../../temporal/list-runs.ts';
import { oneLine } from '../../terminal/printable.ts';
import { formatTable } from '../../terminal/table.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';
import { formatAge } from '../../terminal/units.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { readTime } from '../request/read-time.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  state?: string;
  model?: string;
  workspace?: string;
  failed?: true;
  needsALook?: true;
  type?: Listed;
  since?: Date;
  until?: Date;
  tag: [name: string, value: string][];
  limit: number;
}

/** The types of the workflows that people start. */
const LISTED = ['generation', 'pipeline', 'batch'] as const;
type Listed = (typeof LISTED)[number];

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** Runs that are read at once where some of them are left out. */
const PAGE = 100;

/** `list`: runs by Temporal's visibility. */
export function listCommand(answering: Answering): Command {
  const command = new Command('list')
    .description('list generations, pipelines and batches of the task queue, running ones first')
    .option('--state <state>', 'running, completed, failed, canceled, … or a state like "needs a decision"')
    .option('--model <id>', 'generations with one model')
    .option('--workspace <name>', 'generations and pipelines in one workspace')
    .option('--failed', 'what has failed or timed out')
    .option('--needs-a-look', 'what waits for a person: for a decision, for credits, …')
    .addOption(new Option('--type <type>', 'of that kind alone').choices(LISTED))
    .option('--since <time>', 'started since then: 2h, 3d, or 2026-11-24T10:00Z', readTime)
    .option('--until <time>', 'started before then', readTime)
    .option('--tag <name=value>', 'started with that tag (repeatable)', readTag, [])
    .option('--limit <n>', `at most so many, up to ${MAX_LIMIT}`, readLimit, DEFAULT_LIMIT)
    .action(answering(list));
  return withOwnExamples(
    command,
    'list --needs-a-look',
    'list --failed --model image-l --limit 100',
    'list --state "waiting for credits" --json',
    'list --failed --since 2h --tag team=film',
  );
}

async function list(options: Options): Promise<Answer> {
  const { limit } = options;
  const tags = Object.fromEntries(options.tag);
  const conditions = conditionsOf(options);
  return await withSession(async ({ config, temporal }) => {
    const queue: Condition = ['TaskQueue', '=', config.taskQueue];
    const inVain = options.failed === true || isInVain(options.state?.toLowerCase() ?? '');
    const runs = await firstRuns(temporal, [queue, ...conditions], { limit, inVain, tags });
    const rows = runs.map((run) => summaryOf<Listed>(run));
    const failed = rows.filter(({ status }) => status === 'FAILED');
    const failures = await readFailureTypes(temporal, failed);
    return { json: rows, text: describeRows(rows, failures, { limit, taskQueue: config.taskQueue }) };
  });
}

/** What has ended in vain is listed for as long as no later run of the same id has followed. */
async function firstRuns(
  temporal: Client,
  conditions: readonly Condition[],
  { limit, inVain, tags }: { limit: number; inVain: boolean; tags: Record<string, string> },
): Promise<ListedRun[]> {
  const found: ListedRun[] = [];
  const pageSize = inVain || Object.keys(tags).length > 0 ? Math.max(limit, PAGE) : limit;
  let from: string | undefined;
  do {
    const { runs, next } = await listRunPage(temporal, conditions, pageSize, from);
    found.push(...(await withTags(temporal, inVain ? await withoutFollowed(temporal, runs) : runs, tags)));
    from = next ?? undefined;
  } while (from !== undefined && found.length < limit);
  return found.slice(0, limit);
}

/** @throws UsageError */
function conditionsOf({
  type,
  since,
  until,
  state,
  model,
  workspace,
  failed,
  needsALook,
}: Options): Condition[] {
  if (model !== undefined && findModel(model) === undefined)
    throw new UsageError(`--model ${notAModel(model)}`);
  return [
    type === undefined ? ['WorkflowType', 'IN', ...LISTED] : ['WorkflowType', '=', type],
    ...(since === undefined ? [] : [['StartTime', '>=', since.toISOString()] as const]),
    ...(until === undefined ? [] : [['StartTime', '<', until.toISOString()] as const]),
    ...(state === undefined ? [] : [inState(state.toLowerCase())]),
    ...(model === undefined ? [] : [[DarkroomModel.name, '=', model] as const]),
    ...(workspace === undefined ? [] : [[DarkroomWorkspace.name, '=', workspace] as const]),
    ...(failed === undefined ? [] : [['ExecutionStatus', 'IN', 'Failed', 'TimedOut'] as const]),
    ...(needsALook === undefined
      ? []
      : ([
          ['ExecutionStatus', '=', 'Running'],
          [DarkroomState.name, 'IS NOT NULL'],
          [DarkroomState.name, '!=', SUBMITTING_AGAIN],
        ] as const)),
  ];
}

function describeRows(
  rows: readonly RunSummary<Listed>[],
  failures: ReadonlyMap<string, string>,
  { limit, taskQueue }: { limit: number; taskQueue: string },
): string {
  if (rows.length === 0) return `Nothing of that kind on task queue ${taskQueue}.`;
  const head = [
    'workflow id',
    'state',
    'model',
    'workspace',
    'age',
    ...(failures.size === 0 ? [] : ['failure']),
  ];
  const cells = rows.map(({ workflowId, runId, status, state, model, workspace, startedAt }) =>
    [
      workflowId,
      state ?? status.toLowerCase().replaceAll('_', ' '),
      model ?? '',
      workspace ?? '',
      formatAge(Date.now() - Date.parse(startedAt)),
      ...(failures.size === 0 ? [] : [failures.get(runId) ?? '']),
    ].map(oneLine),
  );
  const narrow = ([id = '', ...facts]: readonly string[]): string =>
    `${id}\n  ${facts.filter((fact) => fact !== '').join(', ')}`;
  const table = formatTable(head, cells, terminalColumns(), narrow);
  const full = rows.length === limit ? `The first ${limit}; more with --limit.\n` : '';
  return `${table}\n${full}One of them: ${ownCommand('show')} <workflow id>`;
}

function readTag(text: string, earlier: Options['tag']): Options['tag'] {
  const at = text.indexOf('=');
  if (at < 1) throw new InvalidArgumentError('It is a name and a value, like team=film.');
  return [...earlier, [text.slice(0, at), text.slice(at + 1)]];
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > MAX_LIMIT)
    throw new InvalidArgumentError(`It is a whole number from 1 to ${MAX_LIMIT}.`);
  return limit;
}
