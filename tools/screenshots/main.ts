import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import { startLocalStack } from '../../src/local/local-stack.ts';
import { connectClient } from '../../src/temporal/connection.ts';
import { exitAsAsked } from '../../src/terminal/exit-codes.ts';
import { withExamples } from '../../src/terminal/with-examples.ts';
import { CleanupStack } from '../../src/worker/cleanup-stack.ts';
import { Pictures, type Run } from './pictures.ts';
import { STATES } from './states.ts';

const FOLDER = fileURLToPath(new URL('../../docs/screenshots/', import.meta.url));

/** Where files are stored stands in the pictures: at a place that every machine has. */
const OUTPUTS = '/tmp/darkroom/outputs';

const program = new Command('screenshots')
  .description(
    'Makes generations and pipelines in every state that a person may meet, and takes pictures of their pages in the Temporal Web UI into docs/screenshots.',
  )
  .argument('[names...]', `only these: ${Object.keys(STATES).join(', ')}`)
  .option('--keep', 'leave everything up until Ctrl-C, to look at it in a browser')
  .exitOverride(exitAsAsked)
  .action(async (names: string[], { keep }: { keep?: true }) => {
    const cleanup = new CleanupStack();
    try {
      await takeAll(names.length === 0 ? Object.keys(STATES) : names, cleanup, keep === true);
    } finally {
      await cleanup.disposeAsync();
    }
  });

interface Further {
  suffix: string;
  take: (pictures: Pictures, name: string, run: Run) => Promise<number>;
}

const first: Further = { suffix: 'timeline', take: (pictures, name, run) => pictures.ofTimeline(name, run) };
const dialog = (suffix: string, entry: string): Further => ({
  suffix,
  take: (pictures, name, run) => pictures.ofDialog(name, run, entry),
});

/** Other views of some of the states. */
const FURTHER: Readonly<Record<string, readonly Further[]>> = {
  'generation-needs-a-decision': [first, dialog('update', 'Send an Update'), dialog('reset', 'Reset')],
  'pipeline-held': [first],
};

async function takeAll(names: readonly string[], cleanup: CleanupStack, keep: boolean): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const stack = await startLocalStack(
    {
      ...process.env,
      LOG_LEVEL: 'error',
      EMULATOR_SPEED: '50',
      EMULATOR_MEDIA: 'tiny',
      DARKROOM_OUTPUTS: OUTPUTS,
    },
    cleanup,
  );
  const { uiUrl, emulator, config } = stack;
  if (uiUrl === null || emulator === undefined)
    throw new Error('the pictures are of a server of their own: unset TEMPORAL_ADDRESS and DARKROOM_API_URL');
  const client = await connectClient(config.temporal);
  cleanup.defer(() => client.connection.close());
  const pictures = await Pictures.open(uiUrl, FOLDER);
  cleanup.defer(() => pictures.close());
  const stage = { client, emulator, taskQueue: config.taskQueue };
  const made = await Promise.all(
    names.map(async (name) => {
      const make = STATES[name];
      if (make === undefined) throw new Error(`no state ${name}`);
      return [name, await make(stage)] as const;
    }),
  );
  const say = (name: string, size: number): void => void process.stderr.write(`${name}: ${size} KB\n`);
  for (const [name, workflowId] of made) {
    const { runId } = await client.workflow.getHandle(workflowId).describe();
    const run = { workflowId, runId };
    say(name, await pictures.ofDetails(name, run));
    for (const { suffix, take } of FURTHER[name] ?? [])
      say(`${name}-${suffix}`, await take(pictures, `${name}-${suffix}`, run));
  }
  if (names.length > 1) say('runs-that-need-a-look', await pictures.ofWhatNeedsALook());
  if (!keep) return;
  process.stderr.write(`${uiUrl} is up until Ctrl-C\n`);
  await new Promise((resolve) => process.once('SIGINT', resolve));
}

await withExamples(
  program,
  'npm run screenshots',
  'npm run screenshots -- generation-failed pipeline-held',
).parseAsync();
process.exit(0);
