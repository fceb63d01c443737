import { isUtf8 } from 'node:buffer';
import { isRecord } from '../../../src/api/json/is-record.ts';
import { isNestedDeeper } from '../../../src/api/json/nesting.ts';
import type { Workspace } from '../accounts/accounts.ts';
import type { Exchange } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import type { Service } from '../service.ts';
import { formInput } from './form-input.ts';
import type { OfferedModel } from './model-routes.ts';

/** What a body turned out to be. `aborted`: the caller went away while it was read. */
type ReadInput =
  | { kind: 'input'; sent: Record<string, unknown> }
  | { kind: 'refused'; status: number; message: string }
  | { kind: 'aborted' };

/** The fields of a submit's body, which is JSON or a form. */
export async function readInput(
  service: Service,
  exchange: Exchange,
  workspace: Workspace,
  offered: OfferedModel,
): Promise<ReadInput> {
  const { maxUploadBytes, maxJsonBytes, tooLargeStatus, malformedBodyStatus, deepestNesting } =
    service.assumptions;
  const contentType = exchange.header('content-type') ?? 'application/json';
  const isForm = /^multipart\/form-data\b/i.test(contentType);
  const body = await readBody(exchange.request, isForm ? maxUploadBytes : maxJsonBytes);
  if (body.kind === 'aborted') return body;
  if (body.kind === 'too-large') {
    return { kind: 'refused', status: tooLargeStatus, message: 'The request body is too large.' };
  }
  const sent = isForm
    ? await readForm(service, workspace, offered, body.bytes, contentType)
    : readJson(body.bytes, contentType);
  const wrong = isNestedDeeper(sent, deepestNesting) ? 'The body is nested too deeply.' : sent;
  return typeof wrong === 'string'
    ? { kind: 'refused', status: malformedBodyStatus, message: wrong }
    : { kind: 'input', sent: wrong };
}

/** The object that a body holds, or what is wrong with it. */
function readJson(bytes: Buffer, contentType: string): Record<string, unknown> | string {
  if (!/^application\/json\b/i.test(contentType)) {
    return `The content type ${contentType} is not supported; send JSON or multipart/form-data.`;
  }
  // Decoding would put a sign for each wrong byte, and sell a prompt that nobody wrote.
  if (!isUtf8(bytes)) return 'The body is not valid UTF-8.';
  try {
    const sent: unknown = JSON.parse(bytes.toString('utf8'));
    return isRecord(sent) ? sent : 'The body must be a JSON object.';
  } catch {
    return 'The body is not valid JSON.';
  }
}

async function readForm(
  { files, origin }: Service,
  workspace: Workspace,
  offered: OfferedModel,
  bytes: Buffer,
  contentType: string,
): Promise<Record<string, unknown> | string> {
  try {
    return await formInput(offered, bytes, contentType, async (file) => {
      const stored = {
        bytes: new Uint8Array(await file.arrayBuffer()),
        fileName: file.name,
        contentType: file.type || 'application/octet-stream',
      };
      return origin() + (await files.storeUpload(workspace.id, stored));
    });
  } catch (error) {
    if (error instanceof TypeError) return 'The body is not a valid multipart form.';
    throw error;
  }
}
