import { constants, createReadStream } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { isRecord } from '../../api/json/is-record.ts';
import { parseJson } from '../../api/json/parse-json.ts';
import { digestOf } from '../../client/batch/row-digest.ts';
import { isUntold } from '../../client/batch/row-result.ts';
import type { BatchRow } from '../../contract/batch.ts';
import { UsageError } from '../failures/usage-error.ts';

/**
 * Whether the results of a batch can be written to a file, before anything is started: its folder is there, and it holds
 * nothing but earlier results of these very rows. Results of others were paid for: they are not overwritten.
 *
 * @throws UsageError
 */
export async function checkResultsFile(
  path: string,
  batchId: string,
  rows: readonly BatchRow[],
): Promise<void> {
  const folder = dirname(path);
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable)
    throw new UsageError(
      `cannot write results to ${path}: the folder ${folder} is not there, or not writable`,
    );
  const found = await stat(path).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isFile()) throw new UsageError(`cannot write results to ${path}: it is no file`);
  const digests = new Map(rows.map(({ id, values }) => [`${batchId}/${id}`, digestOf(values)]));
  for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
    const wrong = line.trim() === '' ? undefined : whatIsLost(line, digests);
    if (wrong !== undefined)
      throw new UsageError(`${path} ${wrong}: move it, or name another file by --results`);
  }
}

/** What a line holds that would be lost. */
function whatIsLost(line: string, digests: ReadonlyMap<string, string>): string | undefined {
  const result = parseJson(line);
  if (!isRecord(result) || typeof result['workflowId'] !== 'string') return 'holds no results of a batch';
  const { workflowId, status, row } = result;
  if (isUntold(status)) return undefined;
  const digest = digests.get(workflowId);
  if (digest === undefined) return `holds the result of ${workflowId}, which is none of these rows`;
  return digest === digestOf(row)
    ? undefined
    : `holds the result of ${workflowId} for another input (a row that has changed needs an id of its own)`;
}
