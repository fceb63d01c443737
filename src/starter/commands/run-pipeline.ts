import { Command } from 'commander';
import type { StartOptions } from '../../client/options.ts';
import { loadClientConfig } from '../../config/client-config.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { Tags } from '../../contract/tags.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { callingBack, detaching, prioritized, saving, waiting } from '../follow/answer-of.ts';
import { startPlanned } from '../follow/start-planned.ts';
import { checkPipeline } from '../request/check-request.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { readParam, withoutRows, withParams } from '../request/read-param.ts';
import { readTag } from '../request/read-tag.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';
import { type BatchOptions, readConcurrency, readCredits, runBatch } from './run-batch.ts';

interface Options extends Partial<BatchOptions> {
  id?: string;
  timeout?: number;
  out?: string;
  callback?: string;
  param?: Record<string, unknown>;
  detach?: true;
  dryRun?: true;
  priority?: StartOptions['priority'];
  tag?: Tags;
}

const BATCH_ONLY = ['key', 'concurrency', 'budget', 'results', 'retryFailed'] as const;

/** `run <pipeline.json>`: a pipeline, waited for. */
export function runCommand(answering: Answering): Command {
  const command = new Command('run')
    .description('run a pipeline and wait for the result')
    .argument('<pipeline.json>', 'a JSON file with { "steps": … } (- is standard input)')
    .option('--id <key>', 'the same key is the same purchase: the workflow id is pipeline/<key>')
    .option('--dry-run', 'only tell what it would buy and reuse, with estimates')
    .option(
      '--param <name=value>',
      'a value for { "$param": name } (repeatable); @photo.png is a file',
      readParam,
    )
    .option(
      '--for-each <rows>',
      'a .jsonl or .csv file: the pipeline once for each row; again goes on where it was',
    )
    .option('--key <column>', 'with --for-each: the column that names the rows; their content when absent')
    .option('--concurrency <n>', 'with --for-each: rows that run at once', readConcurrency)
    .option('--budget <credits>', 'with --for-each: for all rows together', readCredits)
    .option('--results <file>', 'with --for-each: where to write what became of them (<rows>.results.jsonl)')
    .option('--retry-failed', 'with --for-each: run once more what has failed before')
    .option('--tag <name=value>', "for caps and costs, over the file's own; repeat it for several", readTag)
    .action(answering(run));
  return withOwnExamples(
    prioritized(detaching(callingBack(saving(waiting(command))))),
    'run examples/lighthouse.json',
    'run examples/lighthouse.json --id film-3 --timeout 1h',
    'run examples/lighthouse.json --dry-run',
    'run film.json --param photo=@photo.png --detach',
    'run voice-over.json --for-each rows.csv --budget 500',
  );
}

async function run(path: string, options: Options): Promise<Answer> {
  const document = readJsonFile(path) as unknown as PipelineRequest; // checked before it is used
  const given = laidOver(document, options);
  const { forEach, id: key, timeout, dryRun, out, callback, detach, priority } = options;
  if (forEach !== undefined && out !== undefined)
    throw new UsageError('--out is for one pipeline: `download` has the files of a row');
  if (forEach !== undefined && priority !== undefined) throw new UsageError('--priority is for one pipeline');
  if (forEach !== undefined)
    return await withSession(async (session) => {
      const sent = await session.files.sent(given, undefined);
      return await runBatch(session, path, sent, { ...options, forEach });
    });
  const alone = BATCH_ONLY.find((option) => options[option] !== undefined);
  if (alone !== undefined)
    throw new UsageError(`--${alone === 'retryFailed' ? 'retry-failed' : alone} goes with --for-each <rows>`);
  const request = withoutRows(given);
  checkPipeline(request, loadClientConfig());
  return await withSession((session) =>
    startPlanned(session, request, { key, timeout, dryRun, out, callback, detach, priority }),
  );
}

/** The document with what the command line says of it. */
function laidOver(document: PipelineRequest, { tag, param }: Options): PipelineRequest {
  const tagged = tag === undefined ? document : { ...document, tags: { ...document.tags, ...tag } };
  return withParams(tagged, param);
}
