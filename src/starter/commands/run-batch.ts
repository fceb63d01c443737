import { basename, extname } from 'node:path';
import { InvalidArgumentError } from 'commander';
import { pipelineDigest } from '../../client/batch/row-digest.ts';
import { startBatch } from '../../client/batch/start-batch.ts';
import { planBatch } from '../../client/plan/plan-batch.ts';
import { type BatchResult, MOST_CONCURRENCY, ROW_ID, USUAL_CONCURRENCY } from '../../contract/batch.ts';
import { MAX_KEY_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { printable } from '../../terminal/printable.ts';
import type { Answer } from '../answer.ts';
import { checkResultsFile } from '../batch/check-results-file.ts';
import { followBatch } from '../batch/follow-batch.ts';
import { prepareFileRows } from '../batch/prepare-rows.ts';
import { readRowsFile } from '../batch/read-rows-file.ts';
import { ResultsFile } from '../batch/write-results.ts';
import { describeBatchResult } from '../describe/describe-batch.ts';
import { describePlan } from '../describe/describe-plan.ts';
import { webUiUrl } from '../describe/web-ui.ts';
import { RowsLeft } from '../failures/rows-left.ts';
import { detached, timeOver } from '../follow/answer-of.ts';
import { goesOnWithout, mayGoOnWithout } from '../follow/interruption.ts';
import type { Session } from '../session.ts';

/** The options of `run` that are for a batch. */
export interface BatchOptions {
  /** The file with the rows. */
  forEach: string;
  id?: string;
  key?: string;
  concurrency?: number;
  /** Credits. */
  budget?: number;
  results?: string;
  retryFailed?: true;
  /** Milliseconds; undefined: as long as it takes. */
  timeout?: number;
  callback?: string;
  detach?: true;
  dryRun?: true;
}

/**
 * `run <pipeline.json> --for-each <rows>`: the pipeline once for each row. The same command again goes on where it was.
 *
 * @throws UsageError, RequestRefused, KeyInUseError; RunFailedError where it ended without a result,
 * RowsLeft where not every row is completed; StillRunning when the time is over
 */
export async function runBatch(
  session: Session,
  path: string,
  document: PipelineRequest,
  options: BatchOptions,
): Promise<Answer> {
  const { config, temporal } = session;
  const prepared = prepareFileRows(document, readRowsFile(options.forEach), {
    keyColumn: options.key,
    config,
  });
  const { pipeline, rows } = prepared;
  const workflowId = `batch/${options.id ?? keyOf(path, pipeline)}`;
  if (options.dryRun === true)
    return await plan(session, { ...prepared, workflowId, retryFailed: options.retryFailed });
  const {
    concurrency,
    budget,
    retryFailed,
    callback,
    detach,
    timeout,
    results: file = resultsOf(options.forEach),
  } = options;
  await checkResultsFile(file, workflowId, rows);
  mayGoOnWithout(workflowId);
  const started = await startBatch(temporal, {
    workflowId,
    taskQueue: config.taskQueue,
    pipeline,
    rows,
    concurrency,
    budget,
    retryFailed,
    callback,
  });
  const url = webUiUrl(config.temporal, workflowId);
  const otherwise = started.kind === 'running' ? (started.otherwise ?? []) : [];
  const told = [
    started.kind === 'running' && !started.attached
      ? workflowId
      : `${workflowId} exists already: gone back to it`,
    ...otherwise.map((name) => `it runs with another --${name} than this, or without: that stays`),
    ...(url === undefined ? [] : [url]),
  ];
  process.stderr.write(`${printable(told.join('\n'))}\n`);
  goesOnWithout(workflowId);
  if (detach === true && started.kind === 'running') return detached({ workflowId, ...started });
  const results = new ResultsFile(temporal, workflowId, rows, file);
  try {
    const result =
      started.kind === 'ended'
        ? started.result
        : await followBatch(temporal, workflowId, { results, timeUp: timeOver(workflowId, timeout) });
    await results.finish();
    return answer(result, file);
  } finally {
    await results.close();
  }
}

/** @throws InvalidArgumentError */
export function readConcurrency(text: string): number {
  const count = Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_CONCURRENCY) return count;
  throw new InvalidArgumentError(
    `It is a whole number from 1 to ${MOST_CONCURRENCY}; ${USUAL_CONCURRENCY} when absent.`,
  );
}

/** @throws InvalidArgumentError */
export function readCredits(text: string): number {
  const credits = Number(text);
  if (Number.isFinite(credits) && credits > 0) return credits;
  throw new InvalidArgumentError('It is a number of credits above 0.');
}

function answer(result: BatchResult, file: string): Answer {
  const json = { ...result, results: file };
  const text = `${describeBatchResult(result)}\n${file}`;
  if (result.completed < result.rows) throw new RowsLeft(text, json);
  return { json, text };
}

async function plan({ temporal, files }: Session, start: Parameters<typeof planBatch>[2]): Promise<Answer> {
  const { workflowId, pipeline } = start;
  const { rows, there, credits, first } = await planBatch(temporal, files, start);
  const json = { workflowId, rows, there, credits, first };
  const known = there === 0 ? `${rows} rows` : `${rows} rows, ${there} of them there already`;
  if (first === null) return { json, text: `${workflowId}: ${known}: nothing new is bought` };
  const all = credits === null ? 'some prices are not known yet' : `about ${credits} credits`;
  return { json, text: `${workflowId}: ${known}, ${all}. The first row:\n${describePlan(first, pipeline)}` };
}

/** `rows/cities.csv` → `cities.results.jsonl`, where the command runs. */
function resultsOf(rowsFile: string): string {
  return `${basename(rowsFile, extname(rowsFile))}.results.jsonl`;
}

/** `examples/voice-over.json` → `voice-over-` and a digest: the same pipeline goes on where it was. */
function keyOf(path: string, pipeline: PipelineRequest): string {
  const digest = pipelineDigest(pipeline);
  const name = basename(path).replace(/\.json$/i, '');
  return ROW_ID.test(name) ? `${name.slice(0, MAX_KEY_BYTES - digest.length - 1)}-${digest}` : digest;
}
