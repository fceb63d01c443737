import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Runtime } from '@temporalio/worker';
import { DarkroomClient } from '../client/darkroom-client.ts';
import type { Config } from '../config/worker-config.ts';
import { DEFAULT_TASK_QUEUE, DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import {
  type Charge,
  type Emulator,
  type EmulatorOptions,
  type FaultRuleInput,
  startEmulator,
} from '../local/emulator.ts';
import { connectWebhooks } from '../local/local-emulator.ts';
import { type OpenTemporal, openTemporal } from '../local/temporal/open-temporal.ts';
import type { PolicySubset } from '../policy/policy-subset.ts';
import { connectClient } from '../temporal/connection.ts';
import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';
import { CleanupStack } from '../worker/cleanup-stack.ts';
import { quietTemporal } from '../worker/log.ts';
import { startDarkroom } from '../worker/start-darkroom.ts';
import { openOwnNamespace } from './own-namespace.ts';

export interface TestOptions {
  /** What is to go wrong, as the emulator's fault rules say it: lost answers, lost webhooks, failing tasks, … */
  faults?: readonly FaultRuleInput[] | undefined;
  /** Laid under each request's own: by default one that waits milliseconds where the usual one waits seconds. */
  policy?: PolicySubset | undefined;
  /** URLs that callbacks may lie below, like that of a server of the test; signed with `env.DARKROOM_CALLBACK_SECRET`. */
  callbacks?: readonly string[] | undefined;
  /** Further options of the emulator; by default tasks take 80 ms and make tiny files. */
  emulator?: Omit<EmulatorOptions, 'accounts' | 'endpoints' | 'faults'> | undefined;
}

/** All that generating needs, running. */
export interface TestDarkroom extends AsyncDisposable {
  readonly client: DarkroomClient;
  readonly emulator: Emulator;
  /** Where a client or a worker of one's own connects to. */
  readonly temporal: { readonly address: string; readonly namespace: string };
  readonly taskQueue: string;
  /** What a program under test is given as its environment, a worker of one's own too. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * What was charged so far, in order.
   *
   * @param workflowId of the generation, where only its own are meant
   */
  charges(workflowId?: string): Charge[];
  /** Lets something go wrong from here on. */
  fault(rule: FaultRuleInput): void;
  /** Ends it all but the Temporal server. */
  stop(): Promise<void>;
}

const QUICK = {
  polling: { first: '100ms', factor: 1.5, max: '500ms' },
  reconcile: { wait: '5s', otherwise: 'fail' },
  vanished: { wait: '300ms' },
  retries: Object.fromEntries(
    ['RATE_LIMITED', 'PROVIDER_UNAVAILABLE', 'TIMEOUT', 'FAILED', 'INSUFFICIENT_CREDITS'].map((code) => [
      code,
      { initial: '30ms', factor: 1.5, max: '200ms' },
    ]),
  ),
} as const satisfies PolicySubset;

/** One for the whole process: it takes the longest to start, and each test has a namespace of its own on it. */
let server: Promise<OpenTemporal> | undefined;
let isQuiet = false;

/** As `useEmulator`. */
export async function startTestDarkroom({
  faults = [],
  policy = QUICK,
  callbacks = [],
  emulator: emulatorOptions,
}: TestOptions): Promise<TestDarkroom> {
  beQuiet();
  const cleanup = new CleanupStack();
  try {
    server ??= openTemporal({
      ui: false,
      ports: { grpc: 0, ui: 0 },
      // Timers come up to a second late by default, which is a long time in tests.
      dynamicConfig: { 'history.timerProcessorMaxTimeShift': '5ms' },
    });
    const { address } = await server.catch((error: unknown) => {
      server = undefined; // the next test may have more luck
      throw error;
    });
    const own = await openOwnNamespace(address);
    const { namespace } = own;
    // Nothing depends on it: the namespace is nobody else's.
    cleanup.defer(() => own.remove().catch(() => undefined));
    const temporal = { address, namespace };
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-test-'));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    const outputs = join(folder, 'outputs');
    const emulator = await startEmulator({
      port: 0,
      media: 'tiny',
      durations: { queue: 20, run: 60 },
      ...emulatorOptions,
      faults,
    });
    cleanup.defer(() => emulator.close());
    const [secret, callbackSecret] = [newSecret(), newSecret()];
    const config: Config = {
      apiUrl: emulator.baseUrl,
      workspaces: new Map([
        [DEFAULT_WORKSPACE, { apiKey: emulator.apiKey, webhookSecrets: [secret], legacy: 'refuse' }],
      ]),
      webhook: { ...RECEIVER_DEFAULTS, port: 0 },
      outputs: { kind: 'folder', path: outputs },
      callbacks: { prefixes: callbacks, secrets: [callbackSecret] },
      privateOutputs: true,
      taskQueue: DEFAULT_TASK_QUEUE,
      models: emulatorOptions?.models ?? {},
      policy,
      temporal,
    };
    const { taskQueue } = config;
    const file = join(folder, 'darkroom.json');
    await writeFile(file, JSON.stringify({ policy, models: config.models, callbacks }));
    const log = { debug() {}, info() {}, warn() {} };
    const darkroom = await startDarkroom(config, { worker: true, receiver: true, preflight: false, log });
    cleanup.defer(() => darkroom.stop());
    connectWebhooks(emulator, config, darkroom.webhookUrl ?? '');
    const client = await connectClient(temporal);
    cleanup.defer(() => client.connection.close());
    const running = cleanup.move();
    const stop = (): Promise<void> => running.disposeAsync();
    return {
      client: new DarkroomClient(client, { taskQueue, outputs }),
      emulator,
      temporal,
      taskQueue,
      env: {
        TEMPORAL_ADDRESS: address,
        TEMPORAL_NAMESPACE: namespace,
        DARKROOM_TASK_QUEUE: taskQueue,
        DARKROOM_API_URL: emulator.baseUrl,
        DARKROOM_API_KEY: emulator.apiKey,
        DARKROOM_WEBHOOK_SECRET: secret,
        DARKROOM_CALLBACK_SECRET: callbackSecret,
        // A receiver of one's own gets no events: the emulator sends them to this one.
        DARKROOM_WEBHOOK_PORT: '0',
        DARKROOM_OUTPUTS: outputs,
        DARKROOM_PRIVATE_OUTPUTS: 'allow',
        DARKROOM_CONFIG: file,
      },
      charges: (workflow) => emulator.service().ledger.charges({ workflow }),
      fault: (rule) => void emulator.service().faults.add(rule),
      stop,
      [Symbol.asyncDispose]: stop,
    };
  } catch (error) {
    await cleanup.disposeAsync();
    throw error;
  }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`;
}

/** The SDK can be told once, and only before anything else has used it: then somebody else has told it what to say. */
function beQuiet(): void {
  // One that somebody has installed stays theirs, also once the SDK has shut it down because nothing used it.
  if (isQuiet || Object.keys(Runtime.defaultOptions).length > 0) return;
  isQuiet = true;
  try {
    quietTemporal({ debug() {}, info() {}, warn() {} });
  } catch {
    // one runs already, as the SDK makes it
  }
}
