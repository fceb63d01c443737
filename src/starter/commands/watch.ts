import { Command } from 'commander';
import type { Answer, Answering } from '../answer.ts';
import { answerOf, waiting } from '../follow/answer-of.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `watch <workflow id>`: the progress and the result of a run that was started before. */
export function watchCommand(answering: Answering): Command {
  const command = new Command('watch')
    .description('watch a generation or a pipeline until it ends')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .action(answering(watch));
  return withOwnExamples(
    waiting(command),
    'watch generation/order-17',
    'watch pipeline/film-3 --timeout 30s --json',
  );
}

async function watch(workflowId: string, { timeout }: { timeout?: number }): Promise<Answer> {
  return await withSession(async (session) => {
    const handle = await session.darkroom.attach(workflowId);
    return await answerOf(session, handle, { timeout, asked: 'existing' });
  });
}
