import pLimit from 'p-limit';
import { FormBody, type FormPart } from '../../api/client/form-body.ts';
import { filesIn, mapFiles } from '../../api/input/file-fields.ts';
import { contentNamed, partName } from '../../api/input/file-references.ts';
import type { Model } from '../../api/models/define-model.ts';
import { toWire } from '../../api/wire.ts';
import { canBePart } from '../../contract/checks/check-files.ts';
import { WINDOW } from '../../outputs/inputs/file-source.ts';
import { sniffMedia } from '../../outputs/inspection/inspector.ts';
import { HEAD_BYTES } from '../../outputs/inspection/media-format.ts';
import type { OutputStore } from '../../outputs/stores/output-store.ts';
import type { ActivityDeps } from '../deps.ts';
import { invalidRequest } from './to-failure.ts';

type Deps = Pick<ActivityDeps, 'store' | 'files' | 'publicUrl' | 'models'>;

const AT_ONCE = 8;

/** A file that is sent as a part. */
interface SentFile {
  fileName: string;
  contentType: string;
  bytes: number;
  read: () => AsyncIterable<Uint8Array>;
}

/**
 * A submit's body, in which the API finds the files of the store that the input names: by URLs that are made now, or, if
 * the store has none, as the parts of a form. JSON with the input as it is where it names none.
 *
 * @param more what stands beside the input's fields
 * @throws INVALID_REQUEST for a file that is not there, or cannot be sent; OutputStoreFailed
 */
export async function bodyWithFiles(
  deps: Deps,
  model: Model,
  input: Readonly<Record<string, unknown>>,
  more: Readonly<Record<string, unknown>>,
): Promise<Record<string, unknown> | FormBody> {
  const override = deps.models[model.id];
  const body = (own: Readonly<Record<string, unknown>>) => ({
    ...toWire(model, own, override).body,
    ...more,
  });
  const files = filesIn(model, input);
  const references = [...new Set(files.map(({ reference }) => reference))];
  if (references.length === 0) return body(input);
  const limit = pLimit(AT_ONCE);
  const urls = await Promise.all(references.map((one) => limit(() => urlOf(deps, one))));
  const byReference = new Map(references.map((reference, index) => [reference, urls[index]]));
  if (!urls.includes(undefined)) return body(mapFiles(model, input, (one) => byReference.get(one) ?? one));
  const deep = files.find(({ path }) => !canBePart(model, path, override));
  if (deep !== undefined) {
    const message = 'is a file that can only be sent by its URL: set DARKROOM_PUBLIC_OUTPUTS on the worker';
    throw invalidRequest([{ path: `input.${deep.path.join('.')}`, message }]);
  }
  const sent = await Promise.all(references.map((one) => limit(() => fileOf(deps, one))));
  const parts = new Map(references.map((reference, index) => [reference, sent[index]]));
  return new FormBody(Object.entries(body(input)).flatMap(([name, value]) => partsOf(name, value, parts)));
}

/** A list that holds files is one part each, any other value one text. */
function partsOf(name: string, value: unknown, files: ReadonlyMap<string, SentFile | undefined>): FormPart[] {
  if (value === null) return [];
  const fileIn = (one: unknown): SentFile | undefined =>
    typeof one === 'string' ? files.get(one) : undefined;
  const values = Array.isArray(value) && value.some((one) => fileIn(one) !== undefined) ? value : [value];
  return values.map((one: unknown): FormPart => {
    const file = fileIn(one);
    if (file !== undefined) return { name, ...file };
    return { name, text: typeof one === 'string' ? one : JSON.stringify(one) };
  });
}

async function urlOf({ store, files, publicUrl }: Deps, reference: string): Promise<string | undefined> {
  const key = files.keyOf(reference);
  if (key === undefined || (await store.stat(key)) === undefined) throw notThere(reference, store);
  return await publicUrl(store.uriOf(key));
}

async function fileOf({ store, files }: Deps, reference: string): Promise<SentFile> {
  const key = files.keyOf(reference);
  const found = key === undefined ? undefined : await store.stat(key);
  if (key === undefined || found === undefined) throw notThere(reference, store);
  const { bytes } = found;
  const format = await sniffMedia(await store.read(key, 0, Math.min(bytes, HEAD_BYTES)));
  const extension = format === null ? '' : `.${format.extension}`;
  const sha256 = contentNamed(reference);
  return {
    fileName: sha256 === undefined ? (key.split('/').at(-1) ?? '') : partName(sha256, extension),
    contentType: format?.type ?? 'application/octet-stream',
    bytes,
    read: () => piecesOf(store, key, bytes),
  };
}

async function* piecesOf(store: OutputStore, key: string, bytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes; at += WINDOW) yield await store.read(key, at, Math.min(at + WINDOW, bytes));
}

function notThere(reference: string, store: OutputStore) {
  const message = `${reference} is not in ${store.place}: whoever puts files there needs the worker's DARKROOM_OUTPUTS`;
  return invalidRequest([{ path: 'input', message }]);
}
