import { randomBytes } from 'node:crypto';
import type { Client } from '@temporalio/client';
import { DarkroomClient } from '../client/darkroom-client.ts';
import type { PipelineResult } from '../contract/pipeline.ts';
import { ownProgram } from '../package/own-command.ts';
import { webUiUrl } from '../starter/describe/web-ui.ts';
import { followPipeline } from '../starter/follow/follow.ts';
import { connectClient } from '../temporal/connection.ts';
import type { CleanupStack } from '../worker/cleanup-stack.ts';
import { demoPipeline } from './demo-pipeline.ts';
import { type DemoStep, demoTable, demoTotals } from './demo-report.ts';
import { describeApi } from './describe-api.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

/** `npm start`: image → upscale → video for a prompt, from nothing to three files, and everything stopped again. */
export async function runDemo(prompt: string, env: NodeJS.ProcessEnv, cleanup: CleanupStack): Promise<void> {
  const stack = await startLocalStack(env, cleanup, { queueOfItsOwn: true });
  const { config } = stack;
  const client = await connectClient(config.temporal);
  cleanup.defer(() => client.connection.close());

  const key = `demo-${timestamp()}-${randomBytes(2).toString('hex')}`;
  const handle = await new DarkroomClient(client, { taskQueue: config.taskQueue }).start(
    demoPipeline(prompt),
    {
      key,
    },
  );
  const url = webUiUrl(config.temporal, handle.workflowId, uiEnvironment(stack, env));
  for (const line of describeStack(stack)) say(line);
  if (url !== undefined) say(`  Web UI    ${url}`);
  const result = await Promise.race([followPipeline(client, handle), stack.failed]);
  const total = Date.now() - performance.timeOrigin;

  const steps = await collectSteps(client, stack, result);
  say('');
  say(demoTable(steps));
  say(demoTotals(steps, total));
  if (url !== undefined) say(`Web UI: ${url}`);
  const ends = stack.uiUrl === null ? '' : 'It ends with this program. ';
  say(`${ends}To keep everything up and look around: ${ownProgram('dev')}`);
}

/** Where the Web UI is, for `webUiUrl`: of a server that was started here nobody has to guess it. */
function uiEnvironment({ uiUrl }: LocalStack, env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return uiUrl === null ? env : { ...env, TEMPORAL_UI_URL: uiUrl };
}

function describeStack(stack: LocalStack): string[] {
  const { address } = stack.config.temporal;
  return [`  Temporal  ${address}`, `  API       ${describeApi(stack)}`, `  Webhooks  ${stack.webhookUrl}`];
}

async function collectSteps(
  client: Client,
  { emulator }: LocalStack,
  result: PipelineResult,
): Promise<DemoStep[]> {
  const steps: DemoStep[] = [];
  for (const [name, step] of Object.entries(result.steps)) {
    if ('items' in step || step.status !== 'COMPLETED') continue; // the demo fans nothing out, and would have failed
    const { startTime, closeTime } = await client.workflow.getHandle(step.workflowId).describe();
    const task = emulator?.service().tasks.get(step.result.taskId);
    steps.push({
      name,
      result: step.result,
      took: (closeTime ?? startTime).getTime() - startTime.getTime(),
      simulated: task === undefined ? undefined : (task.completedAt ?? task.createdAt) - task.createdAt,
    });
  }
  return steps;
}

function timestamp(): string {
  return new Date().toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
