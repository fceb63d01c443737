import { type FileHandle, open, rename } from 'node:fs/promises';
import type { Client } from '@temporalio/client';
import { rowResults } from '../../client/batch/row-result.ts';
import type { BatchRow } from '../../contract/batch.ts';

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
    const settled = this.#rows.slice(this.#written, end);
    for await (const lines of rowResults(this.#client, this.#batchId, settled)) {
      const text = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
      await (await this.#part()).appendFile(text);
      this.#written += lines.length;
    }
  }

  /** Writes the rest, and gives the file its name. */
  async finish(): Promise<void> {
    await this.writeUntil(this.#rows.length);
    await (await this.#part()).close();
    await rename(`${this.#path}.part`, this.#path);
  }

  async close(): Promise<void> {
    await this.#file?.close();
  }

  async #part(): Promise<FileHandle> {
    this.#file ??= await open(`${this.#path}.part`, 'w');
    return this.#file;
  }
}
