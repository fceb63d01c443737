import type { Config } from '../config/worker-config.ts';
import { DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import { type Emulator, type EmulatorOptions, startEmulator } from './emulator.ts';
import { freePort } from './temporal/free-port.ts';

const USUAL_PORT = 4010;
/** Tasks take a quarter of what they typically take, so that nobody waits long; EMULATOR_SPEED changes it. */
const SPEED = 4;

/** An emulator that knows the configuration's workspaces and keys, and calls its models by the same names. */
export async function startLocalEmulator(config: Config, options: EmulatorOptions): Promise<Emulator> {
  return await startEmulator({
    ...options,
    port: options.port ?? (await freePort(USUAL_PORT)),
    speed: options.speed ?? SPEED,
    models: config.models,
    accounts: [...config.workspaces].map(([workspace, { apiKey }]) => ({ workspace, apiKey })),
    endpoints: [],
  });
}

/**
 * Registers the receiver as an endpoint of every workspace, with the secret that it is configured for. One that the
 * emulator knows from an earlier start gets the receiver's address of now.
 */
export function connectWebhooks(emulator: Emulator, config: Config, webhookUrl: string): void {
  const { endpoints } = emulator.service();
  for (const [workspace, { webhookSecrets }] of config.workspaces) {
    const [secret] = webhookSecrets;
    if (secret === undefined) continue;
    const url = workspace === DEFAULT_WORKSPACE ? webhookUrl : `${webhookUrl}/${workspace}`;
    const known = endpoints
      .all()
      .find((one) => one.workspace === workspace && one.secrets[0]?.value === secret);
    if (known === undefined) endpoints.create({ workspace, url, secret });
    else endpoints.save({ ...known, url });
  }
}
