import { Command } from 'commander';
import { ownCommand } from '../../package/own-command.ts';
import { isPolled } from '../../temporal/pollers.ts';
import type { Answer, Answering } from '../answer.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `cancel <workflow id>`: ends a run; what the API works on goes on there. */
export function cancelCommand(answering: Answering): Command {
  const command = new Command('cancel')
    .description('end a generation or a pipeline; a task that the API has taken goes on and is paid for')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .action(answering(cancel));
  return withOwnExamples(command, 'cancel generation/order-17');
}

async function cancel(workflowId: string): Promise<Answer> {
  return await withSession(async ({ darkroom, temporal }) => {
    const handle = await darkroom.attach(workflowId);
    await handle.cancel();
    const { taskQueue } = await temporal.workflow.getHandle(workflowId).describe();
    const waits = !(await isPolled(temporal, taskQueue));
    const text = [
      `${workflowId} is asked to end.${waits ? ` No worker polls task queue ${taskQueue}: it ends when one does.` : ''}`,
      'The API has no call to cancel a task: one that it has taken goes on and is paid for.',
      'To see what was bought, or to take it over after all:',
      `  ${ownCommand('show', workflowId)}`,
      `  ${ownCommand(handle.kind === 'pipeline' ? 'reset' : 'rerun', workflowId)}`,
    ];
    return { json: { workflowId, runId: handle.runId, cancelRequested: true }, text: text.join('\n') };
  });
}
