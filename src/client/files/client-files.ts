import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pLimit from 'p-limit';
import type { StoreSettings } from '../../config/output-variables.ts';
import { type FileInput, isUpload, storedFile } from '../../contract/file-input.ts';
import type { StoredFile } from '../../contract/generation.ts';
import { WINDOW } from '../../outputs/inputs/file-source.ts';
import { inputFiles } from '../../outputs/inputs/input-files.ts';
import { putFile } from '../../outputs/inputs/put-file.ts';
import { sourceSeconds } from '../../outputs/inputs/source-seconds.ts';
import { createPublicUrl } from '../../outputs/public-outputs.ts';
import { storedAt } from '../../outputs/stored-at.ts';
import { createOutputStore } from '../../outputs/stores/create-store.ts';
import { parseDuration } from '../../policy/duration.ts';
import type { Priced } from '../../policy/prices/price-facts.ts';
import { until } from '../following/ends-of.ts';
import type { Duration } from '../options.ts';
import { filesIn, withReferences } from './map-files.ts';
import { openSource } from './open-source.ts';

/** Files that are uploaded at a time. */
const AT_ONCE = 3;

/** An output of a result, or its stored file. */
export type Stored = { readonly stored: StoredFile } | StoredFile;

/** What was read is not what was stored. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';
}

/** The files of a client: into the store, and out of it. */
export class ClientFiles {
  readonly #settings: StoreSettings;

  constructor(settings: StoreSettings) {
    this.#settings = settings;
  }

  /**
   * The request with each file by its name in the store, where it is put unless it is there.
   *
   * @throws OutputStoreFailed, FileChanged, what reading a file throws; the signal's reason
   */
  async sent<Value>(request: Value, signal: AbortSignal | undefined): Promise<Value> {
    const files = [...filesIn(request)];
    if (files.length === 0) return request;
    const limit = pLimit(AT_ONCE);
    const named = await Promise.all(
      files.map((file) => limit(async () => [file, await this.put(file, signal)] as const)),
    );
    const names = new Map(named);
    return withReferences(request, (file) => names.get(file) ?? '');
  }

  /**
   * @returns what a request names it by
   * @throws as `sent`
   */
  async put(file: FileInput, signal: AbortSignal | undefined): Promise<string> {
    if (!isUpload(file)) return storedOf(file).uri;
    const upload = async (): Promise<string> => {
      const source = await openSource(file, signal);
      try {
        return await putFile(createOutputStore(this.#settings.outputs), source);
      } finally {
        await source.close();
      }
    };
    return await until(signal, upload());
  }

  /** How long the sources of a request last that are heard or seen as they run, by field, as far as the store has them. */
  async sourceSeconds(priced: Priced): Promise<Record<string, number>> {
    const { outputs, publicOutputs } = this.#settings;
    const deps = { store: createOutputStore(outputs), files: inputFiles(outputs, publicOutputs) };
    return await sourceSeconds(deps, priced);
  }

  /** @throws FileDamaged, OutputStoreFailed, while it is read */
  open(output: Stored, ends?: AbortSignal): ReadableStream<Uint8Array> {
    // Node's type of the same streams.
    return Readable.toWeb(Readable.from(this.#pieces(storedOf(output), ends))) as ReadableStream<Uint8Array>;
  }

  /**
   * @param to a file, or a folder that is there, in which it gets its name in the store
   * @returns the file's path
   */
  async download(output: Stored, to: string, ends?: AbortSignal): Promise<string> {
    const stored = storedOf(output);
    const isFolder = await stat(to).then(
      (found) => found.isDirectory(),
      () => /[/\\]$/.test(to),
    );
    const path = isFolder ? join(to, nameOf(stored.uri)) : to;
    await mkdir(dirname(path), { recursive: true });
    const part = join(dirname(path), `.${basename(path)}.${randomUUID()}`);
    try {
      await pipeline(
        Readable.from(this.#pieces(stored, ends)),
        createWriteStream(part),
        ends === undefined ? {} : { signal: ends },
      );
      await rename(part, path);
    } catch (error) {
      await rm(part, { force: true });
      throw error;
    }
    return path;
  }

  /** @throws TypeError where the store has no way for others */
  async url(output: Stored, expires: Duration | undefined): Promise<string> {
    const { uri } = storedOf(output);
    const { location } = storedAt(uri, this.#settings.outputs);
    const life = expires === undefined ? undefined : parseDuration(expires);
    if (expires !== undefined && life === undefined)
      throw new RangeError(`expires is a duration like "1h" or a number of milliseconds; got ${expires}`);
    const { outputs, publicOutputs } = this.#settings;
    const usual =
      publicOutputs ?? (location.kind === 's3' ? { kind: 'presigned', life: USUAL_LIFE } : undefined);
    const setting =
      life !== undefined && location.kind === 's3' ? { kind: 'presigned' as const, life } : usual;
    const url = await createPublicUrl(setting?.kind === 'base' ? outputs : location, setting)(uri);
    if (url === undefined)
      throw new TypeError(
        `${uri} has no public address: set DARKROOM_PUBLIC_OUTPUTS, or serve what open() gives`,
      );
    return url;
  }

  async *#pieces({ uri, bytes, sha256 }: StoredFile, ends?: AbortSignal): AsyncGenerator<Uint8Array> {
    const { location, key } = storedAt(uri, this.#settings.outputs);
    const store = createOutputStore(location);
    const hash = createHash('sha256');
    for (let at = 0; at < bytes; at += WINDOW) {
      const piece = await until(ends, store.read(key, at, Math.min(at + WINDOW, bytes)));
      hash.update(piece);
      yield piece;
    }
    if (hash.digest('hex') !== sha256)
      throw new FileDamaged(`${uri} is not what was stored: its SHA-256 is another`);
  }
}

const USUAL_LIFE = 24 * 3_600_000;

function storedOf(output: Stored): StoredFile {
  const stored = storedFile(output);
  if (stored === undefined) throw new TypeError('not an output of a result: it has no stored file');
  return stored;
}

/** The last part of a URI. */
export function nameOf(uri: string): string {
  return decodeURIComponent(basename(new URL(uri).pathname));
}
