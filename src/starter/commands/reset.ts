import { Command, InvalidArgumentError } from 'commander';
import { RerunRefusedError } from '../../client/failures/rerun-refused-error.ts';
import { ownCommand } from '../../package/own-command.ts';
import { resetPoints, resetRun } from '../../temporal/reset-run.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { waiting } from '../follow/answer-of.ts';
import { knownId } from '../request/known-id.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';
import { type ManyOptions, resetMany } from './reset-many.ts';

interface Options extends Partial<ManyOptions> {
  event?: number;
}

/** Points that a message lists. */
const SHOWN = 20;

/** `reset <workflow id>`: Temporal's Reset, in any state. */
export function resetCommand(answering: Answering): Command {
  const command = new Command('reset')
    .description(
      'have a run repeated from its beginning, in any state: what it bought, completed or running, is taken over; what had failed is bought again',
    )
    .argument('[workflow id]', 'like generation/<key> or pipeline/<key>')
    .option(
      '--query <query>',
      "instead of one id: all runs of a query in Temporal's words; says first what it would buy",
    )
    .option('--dry-run', 'with --query: only say what it would take over and buy')
    .option('--yes', 'with --query: do not ask')
    .option('--event <id>', 'repeat from this end of a workflow task on; the first one without it', readEvent)
    .action(answering(reset));
  return withOwnExamples(
    waiting(command),
    'reset generation/order-17',
    'reset pipeline/film-3 --event 12',
    `reset --query "ExecutionStatus = 'Failed'" --dry-run`,
  );
}

async function reset(id: string | undefined, options: Options): Promise<Answer> {
  const { event, query } = options;
  if (query !== undefined) {
    if (id !== undefined || event !== undefined)
      throw new UsageError(
        '--query is for many runs, each from its beginning: without a workflow id or --event',
      );
    return await resetMany({ ...options, query });
  }
  if (id === undefined) throw new UsageError('name a workflow id, or a --query');
  const { dryRun, yes, timeout } = options;
  if (dryRun ?? yes ?? timeout) throw new UsageError('--dry-run, --yes and --timeout are for --query');
  return await resetOne(id, event);
}

/** What a Reset takes over. */
const TAKES_OVER = {
  generation:
    'A task that it had bought is taken over, completed or running; one that failed is bought again.',
  pipeline: 'Steps that completed or still run are taken over; those that failed run again.',
  batch: 'Rows that have ended or still run are taken over, each as it stands.',
} as const;

async function resetOne(id: string, event: number | undefined): Promise<Answer> {
  return await withSession(async ({ darkroom, temporal }) => {
    const workflowId = await knownId(temporal, id);
    const { runId, kind } = await darkroom.attach(workflowId);
    const points = await resetPoints(temporal, { workflowId, runId });
    const point = event === undefined ? points[0] : points.find((known) => Number(known) === event);
    if (points.length === 0) throw RerunRefusedError.notBegun(workflowId);
    if (point === undefined) throw new UsageError(noPoint(workflowId, points.map(Number), event));
    const newRunId = await resetRun(temporal, { workflowId, runId }, point, 'starter reset');
    const text = [
      `${workflowId} is repeated from event ${Number(point)} on, as run ${newRunId}.`,
      TAKES_OVER[kind],
      'To follow it:',
      `  ${ownCommand('watch', workflowId)}`,
    ];
    const json = { workflowId, runId: newRunId, resetRunId: runId, eventId: Number(point) };
    return { json, text: text.join('\n') };
  });
}

function readEvent(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new InvalidArgumentError('It is the number of an event, like 4.');
  return Number(text);
}

function noPoint(workflowId: string, points: readonly number[], event: number | undefined): string {
  const shown = points.slice(0, SHOWN).join(', ');
  const more = points.length > SHOWN ? ` and ${points.length - SHOWN} more` : '';
  return `event ${event} of ${workflowId} is no end of a workflow task; these are: ${shown}${more}`;
}
