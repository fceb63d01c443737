import { readFile, writeFile } from 'node:fs/promises';
import { Command, InvalidArgumentError } from 'commander';
import { isModelId, MODEL_IDS, type ModelId } from '../../../src/api/models/registry.ts';
import { readConfigFile } from '../../../src/config/config-file.ts';
import { exitAsAsked, USAGE } from '../../../src/terminal/exit-codes.ts';
import { withExamples } from '../../../src/terminal/with-examples.ts';
import { differencesFromContract } from './against-contract.ts';
import { differencesFromEmulator } from './against-emulator.ts';
import { inWords } from './difference.ts';
import { recordAccount } from './record-account.ts';
import { type Recording, readRecording } from './recording.ts';

interface Options {
  replay?: string;
  file: string;
  maxCredits: number;
  models: readonly ModelId[];
  config?: string;
  files?: string;
  webhookPort?: number;
  patience: number;
}

/**
 * `npm run record -- <url>`: writes down what a real account answers, without secrets, and names every difference from
 * the contract and from the emulator. `--replay <file>` does the second half alone.
 */
const command: Command = new Command('record')
  .description(
    'record the HTTP exchange with a real account, and compare it with the contract and the emulator',
  )
  .argument('[url]', "the service's base URL; ends in /api/v1")
  .option('--replay <file>', 'compare a recording; nothing is asked of any service')
  .option('--file <file>', 'where to write the recording', 'exchange.json')
  .option('--max-credits <credits>', 'what may be spent; with 0 nothing is submitted', readNumber, 0)
  .option('--models <ids>', 'models of which one task each is bought', readModels, ['image-l'])
  .option('--config <file>', 'a file like DARKROOM_CONFIG: the real paths and field names')
  .option('--files <url>', 'where the service finds image.png, video.mp4, audio.mp3 and voice.safetensors')
  .option(
    '--webhook-port <port>',
    'a port of this machine that an endpoint of the account leads to',
    readNumber,
  )
  .option('--patience <seconds>', 'how long a task may take', readNumber, 600)
  .exitOverride(exitAsAsked)
  .action(run);
withExamples(
  command,
  'npm run record -- https://media.example/api/v1',
  'npm run record -- https://media.example/api/v1 --max-credits 20',
  'npm run record -- --replay exchange.json',
);
await command.parseAsync();

async function run(url: string | undefined, options: Options): Promise<void> {
  if ((url === undefined) === (options.replay === undefined))
    command.error('error: give the URL of a service, or --replay a recording', { exitCode: USAGE });
  const recording = url === undefined ? await replayed(options.replay ?? '') : await recorded(url, options);
  const found = [...differencesFromContract(recording), ...(await differencesFromEmulator(recording))];
  for (const difference of found) console.log(inWords(difference));
  const asked = `${recording.exchanges.length} exchanges`;
  console.log(found.length === 0 ? `${asked}: no difference` : `${asked}: ${found.length} differences`);
  process.exitCode = found.length === 0 ? 0 : 1;
}

async function replayed(file: string): Promise<Recording> {
  try {
    return readRecording(await readFile(file, 'utf8'));
  } catch (error) {
    return command.error(`error: ${file}: ${error instanceof Error ? error.message : String(error)}`, {
      exitCode: USAGE,
    });
  }
}

async function recorded(url: string, options: Options): Promise<Recording> {
  const apiKey = process.env['CONFORMANCE_API_KEY'];
  if (apiKey === undefined || apiKey === '')
    command.error('error: CONFORMANCE_API_KEY is missing: the key of the account', { exitCode: USAGE });
  const baseUrl = url.replace(/\/+$/, '');
  if (!/^https?:\/\/.+\/api\/v1$/.test(baseUrl))
    command.error('error: the URL must end in /api/v1', { exitCode: USAGE });
  const { maxCredits, models, config, files, webhookPort: port, patience } = options;
  const secret = process.env['CONFORMANCE_WEBHOOK_SECRET'];
  if (port !== undefined && secret === undefined)
    command.error("error: CONFORMANCE_WEBHOOK_SECRET is missing: the endpoint's secret", { exitCode: USAGE });
  const recording = await recordAccount({
    baseUrl,
    apiKey,
    overrides: overridesOf(config),
    models,
    mostCredits: maxCredits,
    files: files?.replace(/\/*$/, '/'),
    webhook: port === undefined || secret === undefined ? undefined : { port, secret },
    patience: patience * 1_000,
    tell: (line) => console.error(line),
    save: (recording) => writeFile(options.file, `${JSON.stringify(recording, undefined, 2)}\n`),
  }).catch((error: unknown) => {
    const why = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
    return command.error(`error: ${baseUrl}: ${why}; what was recorded until then is in ${options.file}`);
  });
  console.error(`Written to ${options.file}, without the key; look through it before you pass it on.`);
  return recording;
}

function overridesOf(config: string | undefined): Recording['models'] {
  if (config === undefined) return {};
  const { file, problems } = readConfigFile(config);
  const [first] = problems;
  return first === undefined ? file.models : command.error(`error: ${first.wrong}`, { exitCode: USAGE });
}

function readNumber(text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !(value >= 0)) throw new InvalidArgumentError('it must be a number from 0.');
  return value;
}

function readModels(text: string): ModelId[] {
  return text.split(',').map((id) => {
    if (isModelId(id)) return id;
    throw new InvalidArgumentError(`${id} is no model; they are: ${MODEL_IDS.join(', ')}`);
  });
}
