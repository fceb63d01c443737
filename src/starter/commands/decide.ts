import { Argument, Command } from 'commander';
import type { Decision } from '../../contract/generation.ts';
import type { Answer, Answering } from '../answer.ts';
import { describeProgress } from '../describe/describe-progress.ts';
import { UsageError } from '../failures/usage-error.ts';
import { withGeneration } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

const ACTIONS = ['resubmit', 'adopt', 'fail'] as const satisfies Decision['action'][];

/** `decide <workflow id> <action>`: a person's word on a submit whose outcome nobody can tell. */
export function decideCommand(answering: Answering): Command {
  const command = new Command('decide')
    .description('say what a generation that needs a decision is to do')
    .argument('<workflow id>', 'like generation/<key>; `show` tells whether it waits for a decision')
    .addArgument(
      new Argument('<action>', 'buy again, take a task that was found, or give up').choices(ACTIONS),
    )
    .option('--task <id>', 'the task to adopt')
    .action(answering(decide));
  return withOwnExamples(
    command,
    'decide generation/order-17 resubmit',
    'decide generation/order-17 adopt --task 904db174-…',
  );
}

async function decide(
  workflowId: string,
  action: Decision['action'],
  { task }: { task?: string },
): Promise<Answer> {
  if ((action === 'adopt') !== (task !== undefined)) {
    throw new UsageError(action === 'adopt' ? 'adopt needs --task <id>' : '--task goes with adopt only');
  }
  return await withGeneration(workflowId, async (handle) => {
    const progress = await handle.decide({ action, ...(task === undefined ? {} : { taskId: task }) });
    return { json: progress, text: describeProgress(workflowId, progress) };
  });
}
