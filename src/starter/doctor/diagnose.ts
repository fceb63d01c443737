import type { Client, Connection } from '@temporalio/client';
import type { ClientConfig } from '../../config/client-config.ts';
import { ConfigError } from '../../config/config-error.ts';
import { doubtfulSettings } from '../../config/doubtful-settings.ts';
import { type Config, loadConfig } from '../../config/worker-config.ts';
import { type Finding, failure, ok, warning } from '../../contract/finding.ts';
import { connectClient } from '../../temporal/connection.ts';
import { TemporalUnreachable } from '../../temporal/temporal-unreachable.ts';
import { checkNamespace } from './check-namespace.ts';
import { checkQueues } from './check-queues.ts';
import { checkReceiver } from './check-receiver.ts';
import { askWorkers, checkClock, workersFindings } from './check-workers.ts';

/**
 * Everything that can be found out from here about a deployment, and by its workers from theirs. Buys nothing, changes
 * nothing.
 *
 * @param webhookUrl the receiver's public address; undefined: the one that a receiver has on this machine
 */
export async function diagnose(config: ClientConfig, webhookUrl?: string): Promise<Finding[]> {
  const [local, remote] = await Promise.all([checkHere(webhookUrl), checkTemporal(config)]);
  return [...remote, ...local];
}

/** What the settings here say of the receiver; where they are a client's alone, nothing can be signed. */
async function checkHere(webhookUrl: string | undefined): Promise<Finding[]> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const why = `the worker's settings are not here (${error.problems.map(({ setting }) => setting).join(', ')})`;
    return webhookUrl === undefined
      ? [ok('receiver', `Not checked: ${why}.`)]
      : [warning('receiver', `It could not be checked: ${why}.`, 'Set them as for the workers.')];
  }
  const doubts = doubtfulSettings({ ...config, workspaces: new Map() }).map((doubt) =>
    warning('settings', `${doubt}.`, 'Correct the setting, here and where the workers are.'),
  );
  const { host, port } = config.webhook;
  const here = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  const url = webhookUrl ?? `http://${here.includes(':') ? `[${here}]` : here}:${port}/webhooks`;
  const receivers = await Promise.all(
    [...config.workspaces].flatMap(
      ([
        workspace,
        {
          webhookSecrets: [secret],
        },
      ]) =>
        secret === undefined
          ? []
          : [checkReceiver({ url, isNamed: webhookUrl !== undefined, workspace, secret })],
    ),
  );
  return [...doubts, ...receivers.flat()];
}

async function checkTemporal({ temporal, taskQueue }: ClientConfig): Promise<Finding[]> {
  let client: Client & { connection: Connection };
  try {
    client = await connectClient(temporal);
  } catch (error) {
    if (!(error instanceof TemporalUnreachable)) throw error;
    const [message = '', ...fixes] = error.message.split('\n');
    return [failure('temporal', message, fixes.map((line) => line.trim()).join('; '))];
  }
  try {
    const reached = ok('temporal', `${temporal.address} answers, and has namespace ${temporal.namespace}.`);
    const asked = await askWorkers(client, taskQueue);
    const [namespace, queues] = await Promise.all([
      checkNamespace(client),
      checkQueues(client, taskQueue, Date.now() + asked.offset),
    ]);
    const untaken = queues.filter(({ kind }) => kind === 'untaken');
    const unversioned = queues.some(({ kind }) => kind === 'no current version');
    const workers = await workersFindings(client, asked, untaken.length === 0 && !unversioned);
    // Whoever has answered polls: the server does not know of every poll that is under way.
    const hasAnswered = workers?.some(({ check }) => check.startsWith('key of')) ?? false;
    const shown = hasAnswered ? queues.filter(({ kind }) => kind !== 'untaken') : queues;
    return [
      reached,
      checkClock(asked),
      ...namespace,
      ...shown.map(({ finding }) => finding),
      ...(workers ?? []),
    ];
  } finally {
    await client.connection.close();
  }
}
