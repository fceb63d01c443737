import { execFile } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { globSync } from 'node:fs';
import { rm, symlink, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import which from 'which';
import { freePort } from '../../src/local/temporal/free-port.ts';
import { keepLastLines } from '../../src/local/temporal/last-lines.ts';
import { type SupervisedOptions, spawnSupervised } from '../../src/local/temporal/supervised-process.ts';
import { interpolate, ROOT, readComposeFile } from '../../test/deploy/compose-file.ts';
import { type Measured, measuredProcess } from './program.ts';
import { findServerTools } from './server-tools.ts';
import { findTemporalCli, type TemporalServer } from './temporal.ts';

export interface TemporalOnPostgresql extends TemporalServer {
  database: Measured;
  /** Both programs with their versions, for people. */
  versions: string;
}

const HOST = '127.0.0.1';
const SETUP = join(ROOT, 'deploy/temporal');
/** Debian keeps the database's programs off the PATH. */
const DEBIAN = '/usr/lib/postgresql/*/bin';
/** PostgreSQL refuses to run as root; its packages bring this user. */
const AS_POSTGRES =
  process.getuid?.() === 0 ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : [];
/** The usual ones may be taken by a Temporal that runs here. */
const PORTS = [
  'DB_PORT',
  'FRONTEND_GRPC_PORT',
  'FRONTEND_HTTP_PORT',
  'FRONTEND_MEMBERSHIP_PORT',
  'HISTORY_GRPC_PORT',
  'HISTORY_MEMBERSHIP_PORT',
  'MATCHING_GRPC_PORT',
  'MATCHING_MEMBERSHIP_PORT',
  'WORKER_GRPC_PORT',
  'WORKER_MEMBERSHIP_PORT',
];
const READY_WITHIN = 60_000;
const LOG_LINES = 20;

/**
 * The Temporal of docker-compose.yml without docker: PostgreSQL and Temporal's server, with the commands, environment
 * and scripts that the file gives them, addresses aside. Its data are gone when it stops.
 *
 * @returns the reason where this machine lacks a program for it
 */
export async function startTemporalOnPostgresql(): Promise<TemporalOnPostgresql | { reason: string }> {
  const { services } = readComposeFile();
  const installed = globSync(DEBIAN).sort().toReversed(); // the newest first
  const path = [process.env['PATH'], ...installed].join(delimiter);
  const initdb = await which('initdb', { path, nothrow: true });
  if (initdb === null) return { reason: `no PostgreSQL (\`initdb\`) on the PATH or in ${DEBIAN}` };
  const version = services['temporal']?.image.split(':')[1] ?? '';
  const tools = await findServerTools(version);
  if ('reason' in tools) return tools;

  await using cleanup = new AsyncDisposableStack();
  const makeFolder = [...AS_POSTGRES, 'mktemp', '-d', '-t', 'darkroom-bench-XXXXXX'];
  const folder = (await run(makeFolder, process.env)).trim();
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  await symlink(await findTemporalCli(), join(folder, 'temporal')); // the scripts call it so
  const programs = {
    PATH: [folder, tools.path, dirname(initdb), process.env['PATH']].join(delimiter),
    HOME: folder, // without anybody's own settings of the CLI
  };
  const password = randomBytes(12).toString('hex');
  /** What the file tells a service, but for what is not so here. */
  const told = (service: string, here: NodeJS.ProcessEnv): NodeJS.ProcessEnv => {
    const given = Object.entries(services[service]?.environment ?? {}).map(([name, value]) => [
      name,
      interpolate(value, { POSTGRES_PASSWORD: password }),
    ]);
    return { ...programs, ...Object.fromEntries(given), ...here };
  };
  const firstPort = randomInt(20_000, 32_000); // the schema's ports end at 32767, where the system's free ones begin
  const ports = Object.fromEntries(
    await Promise.all(PORTS.map(async (name, index) => [name, String(await freePort(firstPort + index))])),
  ) as Record<string, string>; // of those names
  const databasePort = ports['DB_PORT'] ?? '';
  const address = `${HOST}:${ports['FRONTEND_GRPC_PORT']}`;

  const files = { password: join(folder, 'password'), data: join(folder, 'data') };
  await writeFile(files.password, password);
  const superuser = ['--username=temporal', `--pwfile=${files.password}`, '--auth=scram-sha-256'];
  await run(
    [...AS_POSTGRES, 'initdb', `--pgdata=${files.data}`, '--encoding=UTF8', '--no-locale', ...superuser],
    programs,
  );
  const [postgres = '', ...options] = services['postgresql']?.command ?? [];
  const here = ['-D', files.data, '-h', HOST, '-p', databasePort, '-c', 'unix_socket_directories='];
  const database = await startServer(
    [...AS_POSTGRES, postgres, ...options, ...here],
    { env: programs, stopSignal: 'TERM' },
    ['sh', '-c', `until pg_isready --quiet --host=${HOST} --port=${databasePort}; do sleep 0.1; done`],
    programs,
  );
  cleanup.defer(() => database.stop());
  await run(
    ['sh', join(SETUP, 'setup-schema.sh')],
    told('temporal-schema', { SQL_HOST: HOST, SQL_PORT: databasePort }),
  );
  const addresses = { ...ports, POSTGRES_SEEDS: HOST, BIND_ON_IP: HOST };
  const dynamicConfig = { DYNAMIC_CONFIG_FILE_PATH: join(SETUP, 'dynamic-config.yaml') };
  const server = await startServer(
    ['server', 'start'],
    { env: told('temporal', { ...addresses, ...dynamicConfig }), stopSignal: 'KILL' },
    ['sh', join(SETUP, 'setup-namespace.sh')],
    told('temporal-namespace', { TEMPORAL_ADDRESS: address }),
  );
  cleanup.defer(() => server.stop());
  const postgresVersion = /[\d.]+/.exec(await run(['postgres', '--version'], programs))?.[0];
  const everything = cleanup.move();
  return {
    address,
    namespace: 'default',
    process: server,
    database,
    versions: `Temporal ${version} on PostgreSQL ${postgresVersion}`,
    stop: () => everything.disposeAsync(),
  };
}

/** Starts a server, and waits until a command succeeds that needs it. */
async function startServer(
  [file = '', ...args]: readonly string[],
  options: SupervisedOptions,
  ready: readonly string[],
  readyEnv: NodeJS.ProcessEnv,
): Promise<Measured & { stop(): Promise<void> }> {
  const child = spawnSupervised(file, args, options);
  const [out, err] = [keepLastLines(child.stdout, LOG_LINES), keepLastLines(child.stderr, LOG_LINES)];
  try {
    const ended = child.ended.then(({ code }) => Promise.reject(new Error(`ended with code ${code}`)));
    await Promise.race([run(ready, readyEnv), ended]);
  } catch (error) {
    await child.stop();
    throw new Error([`${[file, ...args].join(' ')} did not come up`, ...out, ...err].join('\n'), {
      cause: error,
    });
  }
  return {
    ...measuredProcess(child.pid ?? 0), // it runs, so it has one
    async stop() {
      await child.stop();
    },
  };
}

/** @returns its standard output */
async function run([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<string> {
  const { stdout } = await promisify(execFile)(file, args, { env, timeout: READY_WITHIN });
  return stdout;
}
