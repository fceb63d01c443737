import { randomBytes } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { compileCache } from '../../src/config/compile-cache.ts';
import { Edge, type EdgeOptions } from '../edge/edge.ts';
import { COMPETITORS, type Competitor, type CompetitorName } from './competitors.ts';
import { Supervisor } from './supervisor.ts';
import { TemporalServer } from './temporal.ts';

export interface ServiceOptions {
  name: CompetitorName;
  /** Of the emulator. */
  baseUrl: string;
  access: Access;
  fate: EdgeOptions['fate'];
  /** Orders a second. */
  pace: number;
  folder: string;
}

/** A competitor's workspace at the emulator, and the port at which its webhooks are taken. */
export interface Access {
  apiKey: string;
  secret: string;
  webhookPort: number;
}

export const newAccess = (webhookPort: number): Access => ({
  apiKey: `dk_compare_${randomBytes(12).toString('hex')}`,
  secret: `whsec_${randomBytes(32).toString('base64')}`,
  webhookPort,
});

/** A user's service, running: its supervisor, the API's front door, and its Temporal where it has one. */
export interface Service extends AsyncDisposable {
  edge: Edge;
  supervisor: Supervisor;
  temporal: TemporalServer | undefined;
}

export async function openService(options: ServiceOptions): Promise<Service> {
  await using started = new AsyncDisposableStack();
  const { name, baseUrl, access, fate, pace } = options;
  const competitor = COMPETITORS[name];
  const folder = join(options.folder, name);
  await mkdir(folder, { recursive: true });
  const edge = new Edge({ protocol: competitor.protocol, api: { baseUrl, apiKey: access.apiKey }, fate });
  await edge.open();
  started.defer(() => edge.away());
  const temporal = competitor.taskQueue === undefined ? undefined : await TemporalServer.start(folder);
  started.defer(async () => await temporal?.stop());
  const env = environment(competitor, options, edge, folder, temporal?.address);
  const { file } = competitor;
  const supervisor = new Supervisor({ file, folder, env, withWorker: name === 'darkroom', pace });
  started.defer(() => supervisor.stop());
  await supervisor.start();
  const all = started.move();
  return { edge, supervisor, temporal, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

/** What the caller's processes are told. */
function environment(
  { hosts, fileHost }: Competitor,
  { baseUrl, access }: ServiceOptions,
  edge: Edge,
  folder: string,
  temporal: string | undefined,
): NodeJS.ProcessEnv {
  const routes = Object.fromEntries(hosts.map((host) => [host, `${edge.url}/${host}`]));
  if (fileHost !== undefined) routes[fileHost] = new URL(baseUrl).origin;
  const apiUrl = `${edge.url}/api/v1`;
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    NODE_COMPILE_CACHE: compileCache(),
    COMPARE_ROUTES: JSON.stringify(routes),
    SERVICE_FOLDER: folder,
    FAL_KEY: access.apiKey,
    REPLICATE_API_TOKEN: access.apiKey,
    RUNWAYML_API_SECRET: access.apiKey,
    MEDIA_API_URL: apiUrl,
    MEDIA_API_KEY: access.apiKey,
    WEBHOOK_PORT: String(access.webhookPort),
    WEBHOOK_SECRET: access.secret,
    ...(temporal === undefined ? {} : { TEMPORAL_ADDRESS: temporal }),
    DARKROOM_API_URL: apiUrl,
    DARKROOM_API_KEY: access.apiKey,
    DARKROOM_WEBHOOK_SECRET: access.secret,
    DARKROOM_WEBHOOK_PORT: String(access.webhookPort),
    DARKROOM_OUTPUTS: join(folder, 'outputs'),
    DARKROOM_PRIVATE_OUTPUTS: 'allow',
  };
}
