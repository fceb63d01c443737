import { randomBytes } from 'node:crypto';
import { type Config, loadConfig } from '../config/worker-config.ts';
import { freePort } from './temporal/free-port.ts';

/** The configuration of a local stack, before its parts have addresses. */
export interface LocalConfig {
  config: Config;
  /** Whether the media API is the emulator, which is to be started; else DARKROOM_API_URL says where it is. */
  emulated: boolean;
}

/** Replaced by the emulator's address as soon as it has one. */
const EMULATOR_TO_COME = 'http://127.0.0.1/api/v1';
const USUAL_WEBHOOK_PORT = 8787;

/**
 * The configuration for `npm start` and `npm run dev`. Where DARKROOM_API_URL is set, that API is used as configured.
 * Else the emulator is, with a key and a secret of its own: real ones of the environment are left alone. Ports that
 * nobody asked for give way when they are taken.
 *
 * @throws ConfigError
 */
export async function loadLocalConfig(env: NodeJS.ProcessEnv): Promise<LocalConfig> {
  const emulated = !env['DARKROOM_API_URL']?.trim();
  const config = loadConfig({
    ...env,
    ...(env['DARKROOM_WEBHOOK_PORT']
      ? {}
      : { DARKROOM_WEBHOOK_PORT: String(await freePort(USUAL_WEBHOOK_PORT)) }),
    ...(emulated ? emulatorAccess() : {}),
  });
  return { config, emulated };
}

function emulatorAccess(): Record<string, string> {
  return {
    DARKROOM_API_URL: EMULATOR_TO_COME,
    DARKROOM_API_KEY: `dk_local_${randomBytes(12).toString('hex')}`,
    DARKROOM_WEBHOOK_SECRET: `whsec_${randomBytes(32).toString('base64')}`,
    // The emulator's files are on this machine.
    DARKROOM_PRIVATE_OUTPUTS: 'allow',
  };
}
