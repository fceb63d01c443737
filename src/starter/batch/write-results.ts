import { once } from 'node:events';
import { createWriteStream, type WriteStream } from 'node:fs';
import { rename } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import { type Client, WorkflowFailedError } from '@temporalio/client';
import { NO_USAGE, type Usage } from '../../api/usage.ts';
import type { BatchRow } from '../../contract/batch.ts';
import type { PipelineResult, StepFailure, StepItem } from '../../contract/pipeline.ts';
import { stepFailure } from '../../contract/step-failure.ts';
import { itemsOf } from '../../contract/step-items.ts';
import { isNotFound } from '../../temporal/grpc-status.ts';

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
  readonly #stream: WriteStream;
  #written = 0;

  constructor(client: Client, batchId: string, rows: readonly BatchRow[], path: string) {
    this.#client = client;
    this.#batchId = batchId;
    this.#rows = rows;
    this.#path = path;
    this.#stream = createWriteStream(`${path}.part`);
  }

  /** @param end of the rows that have settled, the first one being 0 */
  async writeUntil(end: number): Promise<void> {
    while (this.#written < end) {
      const rows = this.#rows.slice(this.#written, Math.min(end, this.#written + AT_ONCE));
      const lines = await Promise.all(rows.map((row) => this.#lineOf(row)));
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      if (!this.#stream.write(text)) await once(this.#stream, 'drain');
      this.#written += rows.length;
    }
  }

  async close(): Promise<void> {
    await this.writeUntil(this.#rows.length);
    this.#stream.end();
    await finished(this.#stream);
    await rename(`${this.#path}.part`, this.#path);
  }

  async #lineOf({ id, values }: BatchRow): Promise<ResultLine> {
    const workflowId = `${this.#batchId}/${id}`;
    const line = { id, row: values };
    try {
      const result = (await this.#client.workflow.getHandle(workflowId).result()) as PipelineResult; // its own type
      return { ...line, status: result.status, workflowId, ...madeBy(result), failure: null };
    } catch (error) {
      if (isNotFound(error))
        return { ...line, status: 'NOT_STARTED', workflowId, ...NOTHING_MADE, failure: null };
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
