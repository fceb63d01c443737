import { isUtf8 } from 'node:buffer';
import { generationCode } from '../../../src/api/codes.ts';
import { isRecord } from '../../../src/api/is-record.ts';
import { isNestedDeeper } from '../../../src/api/nesting.ts';
import type { ApiKey, Workspace } from '../accounts/accounts.ts';
import { type Charge, inputHash } from '../accounts/ledger.ts';
import { retryAfterHeader } from '../accounts/rate-limits.ts';
import { answerWithFault } from '../faults/answer-with-fault.ts';
import { errorAnswer } from '../http/answer.ts';
import type { Exchange } from '../http/exchange.ts';
import { parseMultipart } from '../http/multipart.ts';
import { readBody } from '../http/read-body.ts';
import type { Service } from '../service.ts';
import { promptOf } from '../tasks/input-meaning.ts';
import { formInput } from './form-input.ts';
import { inOurNames, type OfferedModel } from './model-routes.ts';
import { type PurchaseResult, purchase, type Submission } from './purchase.ts';
import { refuseSubmit } from './refusals.ts';

/** Tells the ledger whose submit it is; Darkroom's worker sends its workflow id there, percent-encoded. */
const WORKFLOW_HEADER = 'x-darkroom-workflow';

/** What a body turned out to be. */
type ReadInput =
  | { kind: 'input'; sent: Record<string, unknown> }
  | { kind: 'refused'; status: number; message: string }
  | { kind: 'aborted' };

/**
 * `POST generation/{provider}/{model}`, from the rate limit on: authentication and routing come before. An error
 * of the parsing is `P_INVALID_INPUT` like one of the validation.
 */
export async function submit(
  service: Service,
  exchange: Exchange,
  caller: { key: ApiKey; workspace: Workspace },
  offered: OfferedModel,
): Promise<void> {
  const { workspace } = caller;
  const { family } = offered.model;
  if (workspace.rateLimit !== null) {
    const now = Date.now();
    const wait = service.rateLimits.take(workspace.id, workspace.rateLimit, now);
    if (wait > 0) {
      const headers = retryAfterHeader(workspace.rateLimit, wait, now);
      exchange.answer(refuseSubmit(service.assumptions, family, 'RATE_LIMITED', { headers }));
      return;
    }
  }
  const read = await readInput(service, exchange, workspace, offered);
  if (read.kind === 'aborted' || service.closed) return;
  if (read.kind === 'refused') {
    const { status, message } = read;
    exchange.answer(refuseSubmit(service.assumptions, family, 'INVALID_INPUT', { status, message }));
    return;
  }
  const { sent } = read;
  if (isNestedDeeper(sent, service.assumptions.deepestNesting)) {
    const status = service.assumptions.malformedBodyStatus;
    const message = 'The body is nested too deeply.';
    exchange.answer(refuseSubmit(service.assumptions, family, 'INVALID_INPUT', { status, message }));
    return;
  }
  await answer(service, exchange, { ...caller, offered, sent, workflow: workflowOf(exchange) });
}

/** Buys and answers, unless a fault has its way. */
async function answer(service: Service, exchange: Exchange, submission: Submission): Promise<void> {
  const { offered, workspace, sent, workflow } = submission;
  const { model } = offered;
  let charge: Charge | undefined;
  const perform = (): PurchaseResult['answer'] => {
    const result = purchase(service, submission);
    charge = result.charge;
    return result.answer;
  };
  const delivered = (): void => {
    if (charge !== undefined) service.ledger.answered(charge);
  };
  const fault = service.faults.pick({
    on: 'submit',
    workspace: workspace.id,
    identity: () => workflow ?? inputHash(model.id, sent),
    model: model.id,
    prompt: promptOf(inOurNames(offered, sent)),
    workflow,
  });
  if (fault === undefined) {
    exchange.answer(perform(), delivered);
    return;
  }
  await answerWithFault(fault, {
    exchange,
    perform,
    delivered,
    closed: () => service.closed,
    refuse: ({ code, status, message }) => {
      const known = generationCode(code);
      // A rule may also name a code that the specification does not have.
      if (known === undefined) {
        return errorAnswer(status ?? 500, { code, message: message ?? 'Refused by a fault rule.' });
      }
      return refuseSubmit(service.assumptions, model.family, known, {
        ...(status === undefined ? {} : { status }),
        ...(message === undefined ? {} : { message }),
      });
    },
  });
}

async function readInput(
  service: Service,
  exchange: Exchange,
  workspace: Workspace,
  offered: OfferedModel,
): Promise<ReadInput> {
  const { assumptions, files } = service;
  const contentType = exchange.header('content-type') ?? 'application/json';
  const multipart = /^multipart\/form-data\b/i.test(contentType);
  const body = await readBody(
    exchange.request,
    multipart ? assumptions.maxUploadBytes : assumptions.maxJsonBytes,
  );
  if (body.kind === 'aborted') return { kind: 'aborted' };
  const malformed = (message: string): ReadInput => ({
    kind: 'refused',
    status: assumptions.malformedBodyStatus,
    message,
  });
  if (body.kind === 'too-large') {
    return { kind: 'refused', status: assumptions.tooLargeStatus, message: 'The request body is too large.' };
  }
  if (!multipart && !/^application\/json\b/i.test(contentType)) {
    return malformed(`The content type ${contentType} is not supported; send JSON or multipart/form-data.`);
  }
  if (multipart) {
    try {
      const parts = await parseMultipart(body.bytes, contentType);
      const upload = async (file: File): Promise<string> => {
        const bytes = new Uint8Array(await file.arrayBuffer());
        const contentType = file.type || 'application/octet-stream';
        return (
          service.origin() +
          (await files.storeUpload(workspace.id, { bytes, fileName: file.name, contentType }))
        );
      };
      return { kind: 'input', sent: await formInput(offered, parts, upload) };
    } catch (error) {
      if (error instanceof TypeError) return malformed('The body is not a valid multipart form.');
      throw error;
    }
  }
  // Decoding would put a sign for each wrong byte, and sell a prompt that nobody wrote.
  if (!isUtf8(body.bytes)) return malformed('The body is not valid UTF-8.');
  try {
    const sent: unknown = JSON.parse(body.bytes.toString('utf8'));
    return isRecord(sent) ? { kind: 'input', sent } : malformed('The body must be a JSON object.');
  } catch {
    return malformed('The body is not valid JSON.');
  }
}

function workflowOf(exchange: Exchange): string | null {
  const header = exchange.header(WORKFLOW_HEADER);
  if (header === undefined || header === '') return null;
  try {
    return decodeURI(header);
  } catch {
    return header;
  }
}
