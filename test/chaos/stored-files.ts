import { hash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import type { GenerationResult } from '../../src/contract/generation.ts';
import { inspectMedia } from '../../src/outputs/inspection/inspector.ts';
import { outputKeyBase } from '../../src/outputs/output-key.ts';
import type { Finding } from '../explore/rule.ts';

/**
 * What is wrong with the files of completed generations, and with any other file in the store: each has to be, byte
 * for byte, what the emulator serves for its task, and a picture, film or sound that can be read.
 *
 * @param folder the file store's
 * @param filesUrl where the emulator serves outputs: `…/files`
 */
export async function findTorn(
  results: ReadonlyMap<string, GenerationResult>,
  folder: string,
  filesUrl: string,
): Promise<Finding[]> {
  const torn: Finding[] = [];
  for (const [workflowId, { taskId, outputs }] of results) {
    for (const [index, { url, stored }] of outputs.entries()) {
      const wrong = await whatIsWrong(fileURLToPath(stored.uri), url, stored);
      if (wrong !== undefined) torn.push({ workflowId, what: `output ${index} ${wrong}` });
      if (!url.includes(`/${taskId}/${index}/`)) {
        torn.push({ workflowId, what: `output ${index} of task ${taskId} is ${url}` });
      }
    }
  }
  const known = new Set<string>();
  for (const [workflowId, { outputs, dataUri }] of results) {
    for (const { stored } of outputs) known.add(fileURLToPath(stored.uri));
    if (dataUri === undefined) continue;
    known.add(fileURLToPath(dataUri));
    const wrong = await whatIsWrongWithData(fileURLToPath(dataUri), outputs);
    if (wrong !== undefined) torn.push({ workflowId, what: `data ${wrong}` });
  }
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (!entry.isFile() || entry.name.startsWith('.') || known.has(path)) continue;
    if (entry.name.endsWith('-data.json')) {
      const unread = await whatIsWrongWithData(path, []);
      if (unread !== undefined) torn.push({ workflowId: path, what: unread });
      continue;
    }
    const wrong = await whatIsWrong(path, urlOf(basename(path), filesUrl));
    if (wrong !== undefined) torn.push({ workflowId: path, what: wrong });
  }
  return torn;
}

/** Where a stored file comes from: its name has the task's id, and a digest of the URL. */
function urlOf(name: string, filesUrl: string): string {
  const [, taskId = '', extension = ''] = /^(.*)-[0-9a-f]{16}(\.\w+)$/.exec(name) ?? [];
  const urls = Array.from({ length: 10 }, (_, index) => `${filesUrl}/${taskId}/${index}/output${extension}`);
  const keyOf = (url: string): string =>
    basename(outputKeyBase({ workspace: '', workflowId: '', taskId, file: { url } }));
  return urls.find((url) => keyOf(url) + extension === name) ?? filesUrl;
}

async function whatIsWrong(
  path: string,
  url: string,
  stored?: { bytes: number; sha256: string },
): Promise<string | undefined> {
  const bytes = await readFile(path).catch(() => undefined);
  if (bytes === undefined) return 'is not there';
  if (stored !== undefined && bytes.length !== stored.bytes) return `has ${bytes.length} bytes`;
  if (stored !== undefined && hash('sha256', bytes, 'hex') !== stored.sha256) return 'has another SHA-256';
  const response = await fetch(url);
  if (!response.ok) return `cannot be compared: ${url} answers ${response.status}`;
  if (!bytes.equals(Buffer.from(await response.arrayBuffer()))) return 'is not what was served';
  return (await isReadable(bytes)) ? undefined : 'cannot be decoded';
}

/** A record's data that was too large for a result: whole JSON, with the URLs of the outputs. */
async function whatIsWrongWithData(
  path: string,
  outputs: GenerationResult['outputs'],
): Promise<string | undefined> {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return 'is not there';
  try {
    const data = JSON.stringify(JSON.parse(text));
    return outputs.every(({ url }) => data.includes(JSON.stringify(url))) ? undefined : 'is of another task';
  } catch {
    return 'is torn';
  }
}

async function isReadable(bytes: Buffer): Promise<boolean> {
  const facts = await inspectMedia({
    size: bytes.length,
    read: async (start, end) => bytes.subarray(start, end),
  });
  if (facts.contentType?.startsWith('image/') !== true) return facts.duration !== null;
  return await sharp(bytes)
    .raw()
    .toBuffer()
    .then(
      () => true,
      () => false,
    );
}
