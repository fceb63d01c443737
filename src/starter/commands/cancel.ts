import { Command } from 'commander';
import { ownCommand } from '../../package/own-command.ts';
import { cancelRun } from '../../temporal/cancel-run.ts';
import { isPolled } from '../../temporal/pollers.ts';
import type { Answer, Answering } from '../answer.ts';
import { knownId } from '../request/known-id.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `cancel <workflow id>`: ends a run; what the API works on goes on there. */
export function cancelCommand(answering: Answering): Command {
  const command = new Command('cancel')
    .description(
      'end a generation, a pipeline or a batch; a task that the API has taken goes on and is paid for',
    )
    .argument('<workflow id>', 'like generation/<key>, pipeline/<key> or batch/<key>')
    .action(answering(cancel));
  return withOwnExamples(command, 'cancel generation/order-17', 'cancel batch/voice-over');
}

async function cancel(id: string): Promise<Answer> {
  return await withSession(async ({ darkroom, temporal }) => {
    const workflowId = await knownId(temporal, id);
    const run = temporal.workflow.getHandle(workflowId);
    const { type, taskQueue, runId } = await run.describe();
    if (type === 'batch') await cancelRun(temporal, workflowId);
    else await (await darkroom.attach(workflowId)).cancel();
    const waits = !(await isPolled(temporal, taskQueue));
    const text = [
      `${workflowId} is asked to end.${waits ? ` No worker polls task queue ${taskQueue}: it ends when one does.` : ''}`,
      'The API has no call to cancel a task: one that it has taken goes on and is paid for.',
      'To see what was bought, or to take it over after all:',
      `  ${ownCommand('show', workflowId)}`,
      type === 'batch'
        ? '  the command that started it, with --retry-failed: rows that were cancelled count as failed'
        : `  ${ownCommand('retry', workflowId)}`,
    ];
    return { json: { workflowId, runId, cancelRequested: true }, text: text.join('\n') };
  });
}
