import { Command } from 'commander';
import type { Answer, Answering } from '../answer.ts';
import { describeProgress } from '../describe/describe-progress.ts';
import { withGeneration } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `check <workflow id>`: the update `checkNow`. */
export function checkCommand(answering: Answering): Command {
  const command = new Command('check')
    .description('have a generation look at its task at once, or try again where it waits for credits')
    .argument('<workflow id>', 'like generation/<key>')
    .action(answering(check));
  return withOwnExamples(command, 'check generation/order-17');
}

async function check(id: string): Promise<Answer> {
  return await withGeneration(id, async (handle) => {
    const progress = await handle.checkNow();
    return { json: progress, text: describeProgress(handle.workflowId, progress) };
  });
}
