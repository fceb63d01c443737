import { Command } from 'commander';
import { describeRun } from '../../temporal/describe-run.ts';
import { printable } from '../../terminal/printable.ts';
import type { Answer, Answering } from '../answer.ts';
import { followBatch } from '../batch/follow-batch.ts';
import { describeBatchResult } from '../describe/describe-batch.ts';
import { webUiUrl } from '../describe/web-ui.ts';
import { RowsLeft } from '../failures/rows-left.ts';
import { answerOf, timeOver, waiting } from '../follow/answer-of.ts';
import { goesOnWithout } from '../follow/interruption.ts';
import { knownId } from '../request/known-id.ts';
import { type Session, withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `watch <workflow id>`: the progress and the result of a run that was started before. */
export function watchCommand(answering: Answering): Command {
  const command = new Command('watch')
    .description('watch a generation, a pipeline or a batch until it ends')
    .argument('<workflow id>', 'like generation/<key>, pipeline/<key> or batch/<key>')
    .action(answering(watch));
  return withOwnExamples(
    waiting(command),
    'watch generation/order-17',
    'watch pipeline/film-3 --timeout 30s --json',
  );
}

async function watch(id: string, { timeout }: { timeout?: number }): Promise<Answer> {
  return await withSession(async (session) => {
    const workflowId = await knownId(session.temporal, id);
    if (await isBatch(session, workflowId)) return await watchBatch(session, workflowId, timeout);
    const handle = await session.darkroom.attach(workflowId);
    return await answerOf(session, handle, { timeout, asked: 'existing' });
  });
}

async function isBatch({ temporal }: Session, workflowId: string): Promise<boolean> {
  return (await describeRun(temporal, workflowId))?.type === 'batch';
}

/** Without its rows, which only their file tells in order: `run` with the same file writes the results. */
async function watchBatch(
  { temporal, config }: Session,
  workflowId: string,
  timeout: number | undefined,
): Promise<Answer> {
  const url = webUiUrl(config.temporal, workflowId);
  if (url !== undefined) process.stderr.write(`${printable(url)}\n`);
  goesOnWithout(workflowId);
  const result = await followBatch(temporal, workflowId, { timeUp: timeOver(workflowId, timeout) });
  const text = describeBatchResult(result);
  if (result.completed < result.rows) throw new RowsLeft(text, result);
  return { json: result, text };
}
