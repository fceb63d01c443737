import { relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { DEFAULT_TASK_QUEUE, DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import { ownCommand, ownProgram } from '../package/own-command.ts';
import { shellWord } from '../package/shell-word.ts';
import { DEFAULT_NAMESPACE } from '../temporal/settings.ts';
import { formatUri } from '../terminal/units.ts';
import type { CleanupStack } from '../worker/cleanup-stack.ts';
import { describeApi } from './describe-api.ts';
import { type DevState, openDevState } from './dev-state.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

const EXAMPLE = fileURLToPath(new URL('../../examples/lighthouse.json', import.meta.url));

export interface DevFlags {
  /** Begin with nothing and keep nothing. */
  fresh?: boolean;
  /** Show what the parts log. */
  logs?: boolean;
}

/** `npm run dev`: everything up, and what other terminals need, until it is interrupted. */
export async function runDev(
  env: NodeJS.ProcessEnv,
  cleanup: CleanupStack,
  { fresh = false, logs = false }: DevFlags = {},
): Promise<void> {
  const state = fresh ? undefined : await openDevState(cleanup);
  const stack = await startLocalStack({ LOG_LEVEL: logs ? 'debug' : 'warn', ...env }, cleanup, {
    logs,
    ...(state === undefined ? {} : { state }),
  });
  process.stdout.write(`${describeDev(stack, state).join('\n')}\n`);
  await stack.failed;
}

function describeDev(stack: LocalStack, state: DevState | undefined): string[] {
  const { config, uiUrl, emulator, isReal, webhookUrl } = stack;
  const kept =
    state &&
    `${shownPath(state.folder)}: kept over restarts; ${ownProgram('dev', '--fresh')} begins with nothing`;
  return [
    'Darkroom is up. Ctrl-C stops all of it.',
    '',
    `  Temporal Web UI  ${uiUrl ?? `of the server at ${config.temporal.address}`}`,
    `  Media API        ${describeApi(stack)}`,
    ...(emulator === undefined ? [] : [`  Its dashboard    ${emulator.dashboardUrl}`]),
    `  Webhooks         ${webhookUrl}`,
    `  Worker           task queue ${config.taskQueue} on ${config.temporal.address}, namespace ${config.temporal.namespace}`,
    `  Files            ${describeOutputs(stack)}`,
    `  State            ${kept ?? 'in memory, gone when this ends'}`,
    '',
    'In another terminal:',
    '',
    ...exportLines(stack).map((line) => `  ${line}`),
    '',
    `  ${ownCommand('models')}`,
    `  ${ownCommand('credits')}`,
    ...(isReal ? ['', 'These buy with real credits:', ''] : []),
    `  ${ownCommand('generate', 'image-l')} prompt="a red fox in snow"`,
    `  ${ownCommand('run', relative('', EXAMPLE))}`,
    '',
  ];
}

function describeOutputs({ config: { outputs } }: LocalStack): string {
  return outputs.kind === 's3' ? `s3://${outputs.bucket}/${outputs.prefix}` : shownPath(outputs.path);
}

function shownPath(path: string): string {
  return formatUri(pathToFileURL(path).href);
}

/** What the starter, and a worker of one's own, need to meet this stack. Only made-up keys are shown. */
function exportLines({ config, uiUrl, emulator }: LocalStack): string[] {
  const { address, namespace } = config.temporal;
  const access = emulator && config.workspaces.get(DEFAULT_WORKSPACE);
  const variables = {
    TEMPORAL_ADDRESS: address,
    TEMPORAL_NAMESPACE: namespace === DEFAULT_NAMESPACE ? undefined : namespace,
    TEMPORAL_UI_URL: uiUrl ?? undefined,
    DARKROOM_TASK_QUEUE: config.taskQueue === DEFAULT_TASK_QUEUE ? undefined : config.taskQueue,
    DARKROOM_API_URL: emulator && config.apiUrl,
    DARKROOM_API_KEY: access?.apiKey,
    DARKROOM_WEBHOOK_SECRET: access?.webhookSecrets[0],
    DARKROOM_PRIVATE_OUTPUTS: emulator && 'allow',
  };
  return Object.entries(variables).flatMap(([name, value]) =>
    value === undefined ? [] : [`export ${name}=${shellWord(value)}`],
  );
}
