import { createReadStream, createWriteStream } from 'node:fs';
import { access, appendFile, type FileHandle, open, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import type { Client } from '@temporalio/client';
import { isRecord } from '../../api/json/is-record.ts';
import { parseJson } from '../../api/json/parse-json.ts';
import { digestOf } from '../../client/batch/row-digest.ts';
import { isUntold, type RowResult, rowResults } from '../../client/batch/row-result.ts';
import type { BatchRow } from '../../contract/batch.ts';

/**
 * Writes what became of each row of a batch, in the rows' order, as soon as it is known of all before it. The file has
 * its name once it is whole; until then `.part` after it. What an earlier file tells of a row stays where the server tells
 * nothing any more: it deletes what has ended after a time.
 */
export class ResultsFile {
  readonly #client: Client;
  readonly #batchId: string;
  readonly #rows: readonly BatchRow[];
  readonly #path: string;
  readonly #closing = new AbortController();
  /** Lines of earlier files, by workflow id. */
  #earlier: Promise<ReadonlyMap<string, string>> | undefined;
  #file: FileHandle | undefined;
  #written = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(client: Client, batchId: string, rows: readonly BatchRow[], path: string) {
    this.#client = client;
    this.#batchId = batchId;
    this.#rows = rows;
    this.#path = path;
  }

  /** @param end of the rows that have settled, the first one being 0 */
  async writeUntil(end: number): Promise<void> {
    this.#last = this.#last.then(() => this.#write(end));
    await this.#last;
  }

  /** Writes the rest, and gives the file its name. */
  async finish(): Promise<void> {
    await this.writeUntil(this.#rows.length);
    await (await this.#part()).close();
    await rename(`${this.#path}.part`, this.#path);
    await rm(this.#kept, { force: true });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#last.catch(() => undefined); // told to who has asked for it
    await this.#file?.close();
  }

  async #write(end: number): Promise<void> {
    const settled = { rows: this.#rows.slice(this.#written, end), first: this.#written };
    for await (const results of rowResults(this.#client, this.#batchId, settled, this.#closing.signal)) {
      // It keeps first what the lines may be taken from.
      const part = await this.#part();
      const lines = await Promise.all(results.map(async (result) => await this.#lineOf(result)));
      await part.appendFile(lines.map((line) => `${line}\n`).join(''));
      this.#written += results.length;
    }
  }

  async #lineOf(result: RowResult): Promise<string> {
    const { status, workflowId, row } = result;
    const earlier = isUntold(status)
      ? (await this.#toldBefore()).get(`${workflowId} ${digestOf(row)}`)
      : undefined;
    return earlier ?? JSON.stringify(result);
  }

  async #part(): Promise<FileHandle> {
    if (this.#file === undefined) {
      const part = `${this.#path}.part`;
      await keep(part, this.#kept);
      this.#file = await open(part, 'w');
    }
    return this.#file;
  }

  async #toldBefore(): Promise<ReadonlyMap<string, string>> {
    this.#earlier ??= linesOf([this.#path, this.#kept]);
    return await this.#earlier;
  }

  /** What commands have written that were interrupted, until the file is whole. */
  get #kept(): string {
    return `${this.#path}.part.old`;
  }
}

/** Adds a file to another one, if it is there. */
async function keep(part: string, kept: string): Promise<void> {
  if (!(await isThere(part))) return;
  // Its last line may have been cut off.
  await appendFile(kept, '\n');
  await pipeline(createReadStream(part), createWriteStream(kept, { flags: 'a' }));
}

async function isThere(path: string): Promise<boolean> {
  return await access(path).then(
    () => true,
    () => false,
  );
}

/** The lines of such files that tell what became of a row, by its workflow id and what is in it. */
async function linesOf(paths: readonly string[]): Promise<Map<string, string>> {
  const lines = new Map<string, string>();
  for (const path of paths) {
    if (!(await isThere(path))) continue;
    for await (const line of createInterface({ input: createReadStream(path), crlfDelay: Infinity })) {
      const told = parseJson(line);
      if (isRecord(told) && typeof told['workflowId'] === 'string' && !isUntold(told['status']))
        lines.set(`${told['workflowId']} ${digestOf(told['row'])}`, line);
    }
  }
  return lines;
}
