import { pathToFileURL } from 'node:url';
import { formatUri } from '../terminal/units.ts';
import { type LocalStack, startLocalStack } from './local-stack.ts';

/** `npm run dev`: everything up, and what other terminals need, until it is interrupted. */
export async function runDev(env: NodeJS.ProcessEnv, cleanup: AsyncDisposableStack): Promise<void> {
  const stack = await startLocalStack({ LOG_LEVEL: 'warn', ...env }, cleanup);
  process.stdout.write(`${describeDev(stack).join('\n')}\n`);
  await stack.failed;
}

function describeDev(stack: LocalStack): string[] {
  const { config, uiUrl, emulator, webhookUrl } = stack;
  const api =
    emulator === undefined
      ? `${config.apiUrl} (DARKROOM_API_URL: real credits are spent)`
      : `${emulator.url} (the emulator, ${emulator.service().pace.speed} times as fast as the real thing)`;
  return [
    'Darkroom is up. Ctrl-C stops all of it.',
    '',
    `  Temporal Web UI  ${uiUrl ?? `of the server at ${config.temporal.address}`}`,
    `  Media API        ${api}`,
    ...(emulator === undefined ? [] : [`  Its dashboard    ${emulator.dashboardUrl}`]),
    `  Webhooks         ${webhookUrl}`,
    `  Worker           task queue ${config.taskQueue} on ${config.temporal.address}, namespace ${config.temporal.namespace}`,
    `  Files            ${describeOutputs(stack)}`,
    '',
    'In another terminal:',
    '',
    ...exportLines(stack).map((line) => `  ${line}`),
    '',
    '  npm run starter -- generate image-l prompt="a red fox in snow"',
    '  npm run starter -- run examples/lighthouse.json',
    '  npm run starter -- models',
    '  npm run starter -- credits',
    '',
  ];
}

function describeOutputs({ config: { outputs } }: LocalStack): string {
  if (outputs.kind === 's3') return `s3://${outputs.bucket}/${outputs.prefix}`;
  return formatUri(pathToFileURL(outputs.path).href);
}

/** What the starter, and a worker of one's own, need to meet this stack. Only made-up keys are shown. */
function exportLines({ config, uiUrl, emulator }: LocalStack): string[] {
  const { address, namespace } = config.temporal;
  const variables: [string, string][] = [
    ['TEMPORAL_ADDRESS', address],
    ...(namespace === 'default' ? [] : ([['TEMPORAL_NAMESPACE', namespace]] as [string, string][])),
    ...(uiUrl === null ? [] : ([['TEMPORAL_UI_URL', uiUrl]] as [string, string][])),
    ...(emulator === undefined ? [] : emulatorVariables(config)),
  ];
  return variables.map(([name, value]) => `export ${name}=${value}`);
}

function emulatorVariables({ apiUrl, workspaces }: LocalStack['config']): [string, string][] {
  const access = workspaces.get('default');
  return [
    ['DARKROOM_API_URL', apiUrl],
    ['DARKROOM_API_KEY', access?.apiKey ?? ''],
    ['DARKROOM_WEBHOOK_SECRET', access?.webhookSecrets[0] ?? ''],
    ['DARKROOM_PRIVATE_OUTPUTS', 'allow'],
  ];
}
