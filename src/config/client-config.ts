import type { ModelOverrides } from '../api/models/override.ts';
import { DEFAULT_TASK_QUEUE } from '../contract/workflow-ids.ts';
import type { Cap } from '../policy/caps.ts';
import type { TemporalSettings } from '../temporal/settings.ts';
import { type ConfigFile, NO_FILE, readConfigFile } from './config-file.ts';
import type { SecretJudge } from './file-workspaces.ts';
import { readStoreSettings, type StoreSettings } from './output-variables.ts';
import { SettingsReader } from './settings-reader.ts';
import { readTemporalSettings } from './temporal-settings.ts';
import { CONFIG_FILE, ENCRYPTION_KEYS, TASK_QUEUE, UI_URL } from './variables.ts';

/** What programs need that only talk to Temporal, and to the models' descriptions. */
export interface ClientConfig extends StoreSettings {
  taskQueue: string;
  models: ModelOverrides;
  /** The policy's subset of DARKROOM_CONFIG as it was written, checked; laid under each request's own. */
  policy: unknown;
  /** Limits on what purchases may cost together. */
  caps?: readonly Cap[] | undefined;
  temporal: TemporalSettings;
}

/**
 * The part that a client of the workflows needs: neither the API nor a key.
 *
 * @throws ConfigError with everything that is wrong at once
 */
export function loadClientConfig(env: NodeJS.ProcessEnv = process.env): ClientConfig {
  const reader = new SettingsReader(env);
  const { client } = readClientConfig(reader, env);
  reader.check();
  return client;
}

/**
 * The client's part, with the file that it was read from; what is wrong is left to the reader to tell.
 *
 * @param judge judges the webhook secrets in the file, for programs that use them
 */
export function readClientConfig(
  reader: SettingsReader,
  env: NodeJS.ProcessEnv,
  judge?: SecretJudge,
): { file: ConfigFile; client: ClientConfig } {
  reader.refuseMistyped();
  const path = reader.read(CONFIG_FILE);
  const { file, problems: fileProblems } =
    path === undefined ? { file: NO_FILE, problems: [] } : readConfigFile(path, judge);
  const { temporal, problems } = readTemporalSettings(env);
  reader.problems.push(...fileProblems, ...problems);
  reader.read(ENCRYPTION_KEYS);
  reader.read(UI_URL); // links take it where they are made; a wrong one is told before anything starts
  const { models, policy, caps } = file;
  const taskQueue = reader.read(TASK_QUEUE) ?? DEFAULT_TASK_QUEUE;
  return { file, client: { taskQueue, models, policy, caps, temporal, ...readStoreSettings(reader) } };
}
