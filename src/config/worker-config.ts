import { resolve } from 'node:path';
import { DEFAULT_WORKSPACE } from '../contract/workspace.ts';
import type { OutputLocation } from '../outputs/output-location.ts';
import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';
import { type ClientConfig, readClientConfig } from './client-config.ts';
import type { Problem } from './config-error.ts';
import { type ConfigFile, fileExample } from './config-file.ts';
import { SettingsReader } from './settings-reader.ts';
import { CONFIG_FILE, LOG_LEVEL } from './variables.ts';
import {
  API_KEY,
  API_URL,
  BUILD_ID,
  DEPLOYMENT_NAME,
  OUTPUTS,
  PRIVATE_OUTPUTS,
  S3_PATH_STYLE,
  WEBHOOK_HOST,
  WEBHOOK_PORT,
  WEBHOOK_SECRET,
  whatIsWrongWithSecret,
} from './worker-variables.ts';

export type { TemporalSettings } from '../temporal/settings.ts';
export { ConfigError } from './config-error.ts';

interface WorkspaceConfig {
  apiKey: string;
  /** All that are active, as they were written; checked. Without any, webhooks are refused and polling settles. */
  webhookSecrets: string[];
  /** Whether deliveries with nothing but the legacy headers are accepted. */
  legacy: 'refuse' | 'accept';
}

/** The whole configuration, checked. */
export interface Config extends ClientConfig {
  /** Without a slash at the end: `…/api/v1`. */
  apiUrl: string;
  /** At least one; `default` is the one that the environment describes. */
  workspaces: ReadonlyMap<string, WorkspaceConfig>;
  /** Port 0: any free one. */
  webhook: { host: string; port: number; maxBodyBytes: number };
  outputs: OutputLocation;
  /** Whether outputs may be fetched from private and loopback addresses. */
  privateOutputs: boolean;
  /** The version that this worker is of, where workers are versioned. */
  deployment?: { name: string; buildId: string } | undefined;
  /** Undefined where each program has its own. */
  logLevel?: string | undefined;
}

const DEFAULT_OUTPUTS = './outputs';

/**
 * Reads the environment and the file that DARKROOM_CONFIG names. Variables describe the workspace `default`, and
 * win over the file.
 *
 * @throws ConfigError with everything that is wrong at once; it never holds a key or a secret
 */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const reader = new SettingsReader(env);
  const { file, client } = readClientConfig(reader, env, whatIsWrongWithSecret);
  const apiUrl = reader.require(API_URL);
  const workspaces = mergeWorkspaces(reader, file);
  const config = {
    ...client,
    workspaces,
    webhook: {
      host: reader.read(WEBHOOK_HOST) ?? RECEIVER_DEFAULTS.host,
      port: reader.read(WEBHOOK_PORT) ?? RECEIVER_DEFAULTS.port,
      maxBodyBytes: file.maxBodyBytes ?? RECEIVER_DEFAULTS.maxBodyBytes,
    },
    outputs: reader.read(OUTPUTS) ?? { kind: 'folder' as const, path: resolve(DEFAULT_OUTPUTS) },
    privateOutputs: reader.read(PRIVATE_OUTPUTS) ?? false,
    deployment: readDeployment(reader),
    logLevel: reader.read(LOG_LEVEL),
  };
  reader.read(S3_PATH_STYLE); // DARKROOM_OUTPUTS has taken it; a wrong one is told even where it has no use
  reader.check();
  return { ...config, apiUrl: apiUrl ?? '' }; // `check` has thrown where it is missing
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

function mergeWorkspaces(reader: SettingsReader, file: ConfigFile): Map<string, WorkspaceConfig> {
  const apiKey = reader.read(API_KEY);
  const webhookSecrets = reader.read(WEBHOOK_SECRET);
  const merged = new Map(file.workspaces);
  const inFile = merged.get(DEFAULT_WORKSPACE);
  const hasDefault = reader.text(API_KEY.name) !== undefined || webhookSecrets !== undefined;
  if (hasDefault || inFile !== undefined || merged.size === 0) {
    merged.set(DEFAULT_WORKSPACE, {
      apiKey: apiKey ?? inFile?.apiKey,
      webhookSecrets: webhookSecrets ?? inFile?.webhookSecrets,
      legacy: inFile?.legacy,
    });
  }
  const workspaces = new Map<string, WorkspaceConfig>();
  for (const [name, { apiKey, webhookSecrets = [], legacy = 'refuse' }] of merged) {
    if (apiKey === undefined) reader.problems.push(...missingKey(reader, name));
    else workspaces.set(name, { apiKey, webhookSecrets, legacy });
  }
  return workspaces;
}

function missingKey(reader: SettingsReader, workspace: string): Problem[] {
  if (workspace !== DEFAULT_WORKSPACE) {
    return [
      {
        setting: CONFIG_FILE.name,
        wrong: `workspaces.${workspace} has no apiKey`,
        example: fileExample('workspaces'),
      },
    ];
  }
  const { name, example } = API_KEY;
  // A wrong key is reported already; and in a file that could not be read there may be one.
  const reported = reader.problems.some(({ setting }) => setting.startsWith(CONFIG_FILE.name));
  if (reported || reader.text(name) !== undefined) return [];
  return [{ setting: name, wrong: 'is not set', example }];
}
