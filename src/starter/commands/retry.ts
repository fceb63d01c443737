import { Command } from 'commander';
import type { Answer, Answering } from '../answer.ts';
import { answerOf, detached, detaching, saving, waiting } from '../follow/answer-of.ts';
import { knownId } from '../request/known-id.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `retry <workflow id>`: what has failed is tried again under its id, without buying again what was bought. */
export function retryCommand(answering: Answering): Command {
  const command = new Command('retry')
    .description(
      'try a generation or a pipeline again that has failed: the same id, and what is paid for is kept (one that runs is followed; one that asks waits for decide)',
    )
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .action(answering(retry));
  return withOwnExamples(
    detaching(saving(waiting(command))),
    'retry generation/order-17',
    'retry pipeline/film-3 --detach',
  );
}

async function retry(
  id: string,
  { timeout, out, detach }: { timeout?: number; out?: string; detach?: true },
): Promise<Answer> {
  return await withSession(async (session) => {
    const handle = await session.darkroom.retry(await knownId(session.temporal, id));
    if (detach === true) return detached({ workflowId: handle.workflowId });
    return await answerOf(session, handle, { timeout, asked: 'existing', out });
  });
}
