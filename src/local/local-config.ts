import { type Config, loadConfig } from '../config/worker-config.ts';
import { RECEIVER_DEFAULTS } from '../webhooks/receiver-config.ts';
import { type EmulatorAccess, newAccess } from './dev-state.ts';
import { freePort } from './temporal/free-port.ts';

/** The configuration of a local stack, before its parts have addresses. */
export interface LocalConfig {
  config: Config;
  /** Whether the media API is the emulator, which is to be started; else DARKROOM_API_URL says where it is. */
  emulated: boolean;
}

/** Replaced by the emulator's address as soon as it has one. */
const EMULATOR_TO_COME = 'http://127.0.0.1/api/v1';

/**
 * The configuration for `npm start` and `npm run dev`. Where DARKROOM_API_URL is set, that API is used as configured.
 * Else the emulator is, with a key and a secret of its own: real ones of the environment are left alone. Ports that
 * nobody asked for give way when they are taken.
 *
 * @param access of the emulator's default workspace; made up unless it was kept from an earlier start
 * @throws ConfigError
 */
export async function loadLocalConfig(
  env: NodeJS.ProcessEnv,
  access: EmulatorAccess = newAccess(),
): Promise<LocalConfig> {
  const emulated = !env['DARKROOM_API_URL']?.trim();
  const config = loadConfig({
    ...env,
    ...(env['DARKROOM_WEBHOOK_PORT']
      ? {}
      : { DARKROOM_WEBHOOK_PORT: String(await freePort(RECEIVER_DEFAULTS.port)) }),
    ...(emulated ? emulatorVariables(access) : {}),
  });
  return { config, emulated };
}

function emulatorVariables({ apiKey, webhookSecret }: EmulatorAccess): Record<string, string> {
  return {
    DARKROOM_API_URL: EMULATOR_TO_COME,
    DARKROOM_API_KEY: apiKey,
    DARKROOM_WEBHOOK_SECRET: webhookSecret,
    // The emulator's files are on this machine.
    DARKROOM_PRIVATE_OUTPUTS: 'allow',
  };
}
