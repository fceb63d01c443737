import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { WorkflowHandle } from '@temporalio/client';
import { type FaultRuleInput, startEmulator } from '../../emulator/src/index.ts';
import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { CleanupStack } from '../../src/worker/cleanup-stack.ts';
import { createLog, quietTemporal } from '../../src/worker/log.ts';
import { freePort, readSdkMetrics } from '../../src/worker/sdk-metrics.ts';
import { startDarkroom } from '../../src/worker/start-darkroom.ts';

/** Waits are short: the same faults, in less time. */
const POLICY = {
  polling: { first: '200ms', factor: 1.5, max: '1s' },
  retries: { PROVIDER_UNAVAILABLE: { initial: '300ms', factor: 1, max: '300ms', window: '10m' } },
};

/** A deployment on this machine whose troubles are made on purpose. */
export interface TestDarkroom {
  /** `host:port` of its metrics, and of its Temporal server's. */
  metrics: readonly string[];
  start: (prompt: string, policy?: object) => Promise<WorkflowHandle>;
  /** @returns what ends it */
  fault: (rule: FaultRuleInput) => () => void;
  sendWebhooks: (isOn: boolean) => void;
  /** A delivery that no secret has signed. */
  deliverBadly: () => Promise<void>;
  /** Temporal cannot be reached. @returns what ends it */
  cutTemporal: () => () => void;
  /** Waits until an alert fires. */
  until: (alert: string) => Promise<void>;
  stop: () => Promise<void>;
}

export async function startUnderWatch(until: TestDarkroom['until']): Promise<TestDarkroom> {
  const cleanup = new CleanupStack();
  const log = createLog('error');
  const sdkPort = await freePort();
  quietTemporal(log, sdkPort);
  const temporal = await openTemporal({ env: withoutTemporal(), ui: false, ports: { grpc: 0, ui: 0 } });
  cleanup.defer(() => temporal.stop());
  const cable = await startCable(temporal.address);
  cleanup.defer(() => cable.close());
  const emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 50, run: 200 } });
  cleanup.defer(() => emulator.close());
  const outputs = await mkdtemp(join(tmpdir(), 'darkroom-observe-'));
  cleanup.defer(() => rm(outputs, { recursive: true, force: true }));
  const client = await connectClient({ address: temporal.address, namespace: temporal.namespace });
  cleanup.defer(() => client.connection.close());
  const secret = `whsec_${randomBytes(32).toString('base64')}`;
  const darkroom = await startDarkroom(
    {
      apiUrl: emulator.baseUrl,
      workspaces: new Map([
        ['default', { apiKey: emulator.apiKey, webhookSecrets: [secret], legacy: 'refuse' }],
      ]),
      webhook: { host: '127.0.0.1', port: 0, maxBodyBytes: 1_048_576 },
      metrics: { host: '127.0.0.1', port: 0 },
      outputs: { kind: 'folder', path: outputs },
      privateOutputs: true,
      taskQueue: 'darkroom',
      models: {},
      policy: {},
      temporal: { address: cable.address, namespace: temporal.namespace },
    },
    {
      worker: true,
      receiver: true,
      preflight: true,
      log,
      troubleLasts: 1_000,
      sdkMetrics: () => readSdkMetrics(sdkPort),
    },
  );
  cleanup.defer(() => darkroom.stop());
  const { endpoints, faults } = emulator.service();
  const url = darkroom.webhookUrl ?? '';
  const endpoint = endpoints.create({ workspace: 'default', url, secret });
  return {
    metrics: [darkroom.metricsUrl, temporal.metricsUrl].map((one) => new URL(one ?? '').host),
    start: (prompt, policy = {}) =>
      client.workflow.start('generation', {
        taskQueue: 'darkroom',
        workflowId: `generation/${randomUUID()}`,
        args: [{ model: 'image-l', input: { prompt }, policy: { ...POLICY, ...policy } }],
      }),
    fault(rule) {
      const { id } = faults.add(rule);
      return () => void faults.remove(id);
    },
    sendWebhooks(isOn) {
      endpoint.enabled = isOn;
      endpoints.save(endpoint);
    },
    async deliverBadly() {
      const headers = {
        'content-type': 'application/json',
        'webhook-id': randomUUID(),
        'webhook-timestamp': String(Math.floor(Date.now() / 1_000)),
        'webhook-signature': `v1,${randomBytes(32).toString('base64')}`,
      };
      await fetch(url, { method: 'POST', headers, body: '{"event":"task.started"}' });
      await delay(200);
    },
    cutTemporal: () => cable.cut(),
    until,
    stop: () => cleanup.disposeAsync(),
  };
}

/** The server is started here, whatever is set. */
function withoutTemporal(): NodeJS.ProcessEnv {
  const { TEMPORAL_ADDRESS: _, ...env } = process.env;
  return env;
}

/** What passes bytes on, until it is cut. */
async function startCable(
  to: string,
): Promise<{ address: string; cut: () => () => void; close: () => Promise<void> }> {
  const [host = '', port = ''] = to.split(':');
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((socket) => {
    if (isCut) {
      socket.destroy();
      return;
    }
    const other = connect(Number(port), host);
    for (const [one, end] of [
      [socket, other],
      [other, socket],
    ] as const) {
      sockets.add(one);
      one.pipe(end);
      one.on('error', () => undefined);
      one.on('close', () => {
        sockets.delete(one);
        end.destroy();
      });
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address() as AddressInfo; // it listens on a port
  return {
    address: `127.0.0.1:${address.port}`,
    cut() {
      isCut = true;
      for (const socket of sockets) socket.destroy();
      return () => {
        isCut = false;
      };
    },
    async close() {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
