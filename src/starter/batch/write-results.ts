import { type FileHandle, open, rename } from 'node:fs/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { NO_USAGE, type Usage } from '../../api/records/usage.ts';
import { type BatchRow, ROW_MEMO } from '../../contract/batch.ts';
import type { PipelineResult, StepFailure, StepItem } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/steps/step-failure.ts';
import { itemsOf } from '../../contract/steps/step-items.ts';
import { describeRun } from '../../temporal/describe-run.ts';

/** So many results are asked for at once. */
const AT_ONCE = 20;

/** One line of `results.jsonl`. */
interface ResultLine {
  id: string;
  row: Record<string, unknown>;
  status: PipelineResult['status'] | 'NOT_STARTED';
  workflowId: string;
  /** By step: its files, each with its URL and where it is stored. */
  outputs: Record<string, { url: string; stored: string }[]>;
  usage: Usage;
  failure: { type: string; message: string } | null;
}

/**
 * Writes what became of each row of a batch, in the rows' order, as soon as it is known of all before it. The file has
 * its name once it is whole; until then `.part` after it.
 */
export class ResultsFile {
  readonly #client: Client;
  readonly #batchId: string;
  readonly #rows: readonly BatchRow[];
  readonly #path: string;
  #file: FileHandle | undefined;
  #written = 0;

  constructor(client: Client, batchId: string, rows: readonly BatchRow[], path: string) {
    this.#client = client;
    this.#batchId = batchId;
    this.#rows = rows;
    this.#path = path;
  }

  /** @param end of the rows that have settled, the first one being 0 */
  async writeUntil(end: number): Promise<void> {
    while (this.#written < end) {
      const rows = this.#rows.slice(this.#written, Math.min(end, this.#written + AT_ONCE));
      const lines = await Promise.all(rows.map((row) => this.#lineOf(row)));
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      await (await this.#part()).appendFile(text);
      this.#written += rows.length;
    }
  }

  async close(): Promise<void> {
    await this.writeUntil(this.#rows.length);
    await (await this.#part()).close();
    await rename(`${this.#path}.part`, this.#path);
  }

  async #part(): Promise<FileHandle> {
    this.#file ??= await open(`${this.#path}.part`, 'w');
    return this.#file;
  }

  async #lineOf({ id, values, digest }: BatchRow): Promise<ResultLine> {
    const workflowId = `${this.#batchId}/${id}`;
    const line = { id, row: values };
    const run = await describeRun(this.#client, workflowId);
    if (run === undefined)
      return { ...line, status: 'NOT_STARTED', workflowId, ...NOTHING_MADE, failure: null };
    if (run.memo?.[ROW_MEMO] !== digest)
      return { ...line, status: 'FAILED', workflowId, ...NOTHING_MADE, failure: idInUse(workflowId) };
    try {
      const handle = this.#client.workflow.getHandle(workflowId, run.runId);
      const result = (await handle.result()) as PipelineResult; // its own type
      return { ...line, status: result.status, workflowId, ...madeBy(result), failure: null };
    } catch (error) {
      if (!(error instanceof WorkflowFailedError)) throw error;
      const { type, message, details } = stepFailure(error.cause);
      return {
        ...line,
        status: 'FAILED',
        workflowId,
        ...madeBy(details as Partial<PipelineResult> | null), // PIPELINE_FAILED brings the result along
        failure: { type, message },
      };
    }
  }
}

const NOTHING_MADE = { outputs: {}, usage: NO_USAGE };

/** What another row has made is not this one's, whatever their ids. */
function idInUse(workflowId: string): NonNullable<ResultLine['failure']> {
  const message = `${workflowId} was started for another input: give a row that has changed an id of its own, or start the batch under another --id`;
  return { type: 'KEY_IN_USE', message };
}

function madeBy(result: Partial<PipelineResult> | null): Pick<ResultLine, 'outputs' | 'usage'> {
  const steps = Object.entries(result?.steps ?? {});
  const outputs = steps.map(([name, step]) => [name, itemsOf(step).flatMap(filesOf)] as const);
  return {
    outputs: Object.fromEntries(outputs.filter(([, files]) => files.length > 0)),
    usage: result?.usage ?? NO_USAGE,
  };
}

function filesOf(
  item: StepItem | { status: string; failure: StepFailure },
): { url: string; stored: string }[] {
  if (!('result' in item)) return [];
  return item.result.outputs.map(({ url, stored }) => ({ url, stored: stored.uri }));
}
