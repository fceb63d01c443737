import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';
import { type ClientConfig, readClientConfig } from './client-config.ts';
import { SettingsReader } from './settings-reader.ts';
import { LOG_LEVEL } from './variables.ts';
import {
  API_URL,
  BUILD_ID,
  CALLBACK_SECRET,
  DEPLOYMENT_NAME,
  METRICS_HOST,
  METRICS_PORT,
  PLAIN_API,
  PRIVATE_OUTPUTS,
  RESTORED_SINCE,
  WEBHOOK_HOST,
  WEBHOOK_PORT,
  whatIsWrongWithSecret,
} from './worker-variables.ts';
import { blindPolicies, idleCaps, readWorkspaces, type WorkspaceConfig } from './workspaces.ts';

export type { TemporalSettings } from '../temporal/settings.ts';
export { ConfigError } from './config-error.ts';

/** The whole configuration, checked. */
export interface Config extends ClientConfig {
  /** Without a slash at the end: `…/api/v1`; may be empty where the API is not called. */
  apiUrl: string;
  /** At least one; `default` is the one that the environment describes. */
  workspaces: ReadonlyMap<string, WorkspaceConfig>;
  /** Port 0: any free one. */
  webhook: { host: string; port: number; maxBodyBytes: number; rememberedIds?: number };
  /** Where operators find health and metrics apart from the webhooks, of a worker alone too. Port 0: any free one. */
  metrics?: { host: string; port: number } | undefined;
  /** Where runs may call when they have ended, and what that is signed with; undefined: nowhere. */
  callbacks?: { prefixes: readonly string[]; secrets: readonly string[] } | undefined;
  /** Whether outputs may be fetched from private and loopback addresses. */
  privateOutputs: boolean;
  /** The time of the dump that Temporal's database was restored from (milliseconds since the epoch). */
  restoredSince?: number | undefined;
  /** The version that this worker is of, where workers are versioned. */
  deployment?: { name: string; buildId: string } | undefined;
  /** Undefined where each program has its own. */
  logLevel?: string | undefined;
}

/**
 * Reads the environment and the file that DARKROOM_CONFIG names. Variables describe the workspace `default`, and
 * win over the file.
 *
 * @param callsApi a receiver alone does not: it needs neither the address nor keys
 * @throws ConfigError with everything that is wrong at once; it never holds a key or a secret
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env, { callsApi = true } = {}): Config {
  const reader = new SettingsReader(env);
  const { file, client } = readClientConfig(reader, env, whatIsWrongWithSecret);
  const apiUrl = callsApi ? reader.require(API_URL) : reader.read(API_URL);
  const workspaces = readWorkspaces(reader, file, callsApi);
  reader.problems.push(...blindPolicies(client.policy, workspaces));
  // A receiver buys nothing, and may have fewer workspaces.
  if (callsApi) reader.problems.push(...idleCaps(client.caps ?? [], workspaces));
  const webhookPort = reader.read(WEBHOOK_PORT) ?? RECEIVER_DEFAULTS.port;
  const config = {
    ...client,
    workspaces,
    webhook: {
      host: reader.read(WEBHOOK_HOST) ?? RECEIVER_DEFAULTS.host,
      port: webhookPort,
      maxBodyBytes: file.webhook.maxBodyBytes ?? RECEIVER_DEFAULTS.maxBodyBytes,
      rememberedIds: file.webhook.rememberedIds ?? RECEIVER_DEFAULTS.rememberedIds,
    },
    metrics: readMetrics(reader, webhookPort),
    callbacks: readCallbacks(reader, file.callbacks),
    privateOutputs: reader.read(PRIVATE_OUTPUTS) ?? false,
    restoredSince: reader.read(RESTORED_SINCE),
    deployment: readDeployment(reader),
    logLevel: reader.read(LOG_LEVEL),
  };
  reader.read(PLAIN_API); // DARKROOM_API_URL has taken it; a wrong one is told even where it has no use
  reader.check();
  return { ...config, apiUrl: apiUrl ?? '' }; // `check` has thrown where it is missing and needed
}

function readCallbacks(reader: SettingsReader, prefixes: readonly string[]): Config['callbacks'] {
  const secrets = reader.read(CALLBACK_SECRET);
  if (prefixes.length === 0) return undefined;
  const { name, example } = CALLBACK_SECRET;
  if (reader.text(name) === undefined)
    reader.problems.push({ setting: name, wrong: 'is not set, and signs what the callbacks get', example });
  return { prefixes, secrets: secrets ?? [] };
}

/** Temporal's own two variables for versioned workers belong together. */
function readDeployment(reader: SettingsReader): Config['deployment'] {
  const name = reader.read(DEPLOYMENT_NAME);
  const buildId = reader.read(BUILD_ID);
  if (name !== undefined && buildId !== undefined) return { name, buildId };
  const [missing, given] = name === undefined ? [DEPLOYMENT_NAME, BUILD_ID] : [BUILD_ID, DEPLOYMENT_NAME];
  if (reader.text(given.name) !== undefined && reader.text(missing.name) === undefined) {
    const wrong = `is not set, but ${given.name} is: they belong together`;
    reader.problems.push({ setting: missing.name, wrong, example: missing.example });
  }
  return undefined;
}

/** On this machine alone unless it is said otherwise, wherever webhooks are taken: metrics are nobody else's business. */
function readMetrics(reader: SettingsReader, webhookPort: number): Config['metrics'] {
  const host = reader.read(METRICS_HOST) ?? RECEIVER_DEFAULTS.host;
  const port = reader.read(METRICS_PORT);
  if (port === undefined) return undefined;
  if (port !== 0 && port === webhookPort) {
    const { name, example } = METRICS_PORT;
    reader.problems.push({ setting: name, wrong: `is ${port}, where webhooks are taken`, example });
  }
  return { host, port };
}
