import { EnvironmentError, readEnvironment } from './config/environment.ts';
import { ListenError } from './http/listen.ts';
import type { EmulatorOptions } from './options.ts';
import { type Emulator, startEmulator } from './server.ts';
import { StorageError } from './storage/sqlite-storage.ts';

/** Exit code of a wrong configuration. */
const USAGE = 2;

/**
 * The program: the media API on this machine, until SIGINT or SIGTERM. What goes wrong is told on standard error.
 *
 * @returns the exit code
 */
export async function runEmulator(): Promise<number> {
  // A reader of what is printed may go away (`| head`).
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  try {
    const options = readEnvironment(process.env);
    const emulator = await startEmulator(options);
    const told = new Promise((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, resolve);
    });
    // Last: who waits for the greeting may stop the program right after it.
    process.stdout.write(greeting(emulator, options));
    await told;
    await emulator.close();
    return 0;
  } catch (error) {
    process.stderr.write(`${complaint(error)}\n`);
    return error instanceof EnvironmentError ? USAGE : 1;
  }
}

/** Where it is and how to use it. Of the secrets only those that it made: of the others it says where they are. */
function greeting(emulator: Emulator, { dbFile, accounts, endpoints: given }: EmulatorOptions): string {
  const endpoints = emulator.service().endpoints.all();
  const secret = endpoints[0]?.secrets[0];
  const keyIsGiven = accounts?.[0]?.apiKey !== undefined;
  const lines = [
    'The emulator of the media API is running.',
    '',
    `  API       ${emulator.baseUrl}`,
    `  API key   ${keyIsGiven ? 'the one in EMULATOR_API_KEY' : emulator.apiKey}`,
    `  Dashboard ${emulator.dashboardUrl}`,
    `  Control   ${emulator.controlUrl}/state`,
    `  State     ${dbFile === undefined ? 'in memory, gone when it stops (EMULATOR_DB=<file> keeps it)' : `in ${dbFile}`}`,
    ...(endpoints.length === 0
      ? ['  Webhooks  to nobody (EMULATOR_WEBHOOK_URL=http://127.0.0.1:8787/webhooks sends them to a worker)']
      : endpoints.map(({ url }) => `  Webhooks  to ${url}`)),
    '',
    'Point Darkroom at it:',
    '',
    `  export DARKROOM_API_URL=${emulator.baseUrl}`,
    `  export DARKROOM_API_KEY=${keyIsGiven ? '"$EMULATOR_API_KEY"' : emulator.apiKey}`,
    ...(secret === undefined ? [] : [secretLine(secret, given?.[0]?.secret !== undefined)]),
    '  export DARKROOM_PRIVATE_OUTPUTS=allow',
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function secretLine({ value, made }: { value: string; made: boolean }, isInEnvironment: boolean): string {
  if (isInEnvironment) return '  export DARKROOM_WEBHOOK_SECRET="$EMULATOR_WEBHOOK_SECRET"';
  if (made) return `  export DARKROOM_WEBHOOK_SECRET=${value}`;
  return '  # DARKROOM_WEBHOOK_SECRET is the secret that the endpoint was given; the dashboard shows it';
}

/** What was expected to go wrong is told in a line that names the variable, all else with its stack. */
function complaint(error: unknown): string {
  if (error instanceof EnvironmentError || error instanceof ListenError) return error.message;
  if (error instanceof StorageError) return `EMULATOR_DB: ${error.message}`;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
