import { readErrorBodySchema } from '../error-body.ts';
import { type ReadCredits, readCreditsSchema } from '../records/credits.ts';
import { type GenerationRecord, readGenerationSchema } from '../records/generation-record.ts';
import { isTaskId } from '../records/task-id.ts';
import { wellFormed } from '../text/well-formed.ts';
import { type ApiAnswer, readAnswer } from './api-answer.ts';
import { ApiClock } from './api-clock.ts';
import type { Caller } from './caller.ts';
import { FormBody } from './form-body.ts';
import { createAgent, exchange, type HttpAnswer, type HttpRequest, IDLE } from './http-exchange.ts';
import { parseRetryAfter } from './retry-after.ts';
import { classifyAnswer, classifyFailure, type SubmitOutcome } from './submit-outcome.ts';
import { TransportFailure } from './transport-failure.ts';

export type { Caller } from './caller.ts';

const MAX_RECORD_BYTES = 8 * 1024 * 1024;

/** What a GET of a task gave. `unavailable` covers all that says nothing about the task itself. */
export type RecordAnswer =
  | { kind: 'record'; record: GenerationRecord }
  | { kind: 'not-found' }
  | { kind: 'unavailable'; code: string; reason: string; retryAfter?: number };

export type CreditsAnswer =
  | { kind: 'credits'; credits: ReadCredits }
  | { kind: 'unavailable'; code: string; reason: string };

export interface SubmitCall extends Caller {
  /** Path below the base URL, e.g. `generation/darkroom/image-l`. */
  path: string;
  /** JSON, or a form where files go along. */
  body: Record<string, unknown> | FormBody;
  /** Milliseconds for the whole exchange. */
  timeout: number;
  /** Sent as `X-Darkroom-Workflow`, so that a charge can be traced to its workflow on the API's side. */
  workflowId?: string;
}

/**
 * The three operations of the media API over HTTP. No call throws for what the network or the API does: every
 * way it can end is a value, so that the caller decides about each one. It never retries.
 */
export class MediaApi {
  /** The service's clock, as its answers tell it. */
  readonly clock = new ApiClock();
  readonly #base: string;
  /**
   * A read never waits for a submit: these may take as long as the policy says. How many of them are in flight is
   * decided by the worker's places; the connections' limit is above it, for those that are still being made for a
   * call that has given up.
   */
  readonly #agents = { GET: createAgent(128, IDLE.reads), POST: createAgent(512, IDLE.submits) };

  /** @param baseUrl ends in `/api/v1` */
  constructor(baseUrl: string) {
    this.#base = baseUrl.replace(/\/+$/, '');
  }

  /** `POST {base}/{path}`: one task, one charge. */
  async submit(call: SubmitCall): Promise<SubmitOutcome> {
    const { body } = call;
    try {
      const answer = await this.#exchange({
        method: 'POST',
        url: new URL(`${this.#base}/${call.path}`),
        headers: {
          ...headersOf(call),
          ...(body instanceof FormBody ? {} : { 'content-type': 'application/json' }),
          // Header values are Latin-1: ids are escaped so that any workflow id can be sent.
          ...(call.workflowId === undefined
            ? {}
            : { 'x-darkroom-workflow': encodeURI(wellFormed(call.workflowId)) }),
        },
        body: body instanceof FormBody ? body : JSON.stringify(body),
        timeout: call.timeout,
        maxBytes: MAX_RECORD_BYTES,
      });
      return classifyAnswer(readAnswer(answer, call), Date.now());
    } catch (error) {
      if (error instanceof TransportFailure) return classifyFailure(error);
      throw error;
    }
  }

  /** `GET {base}/generation/{id}`: the record that decides. */
  async getGeneration(taskId: string, caller: Caller, timeout: number): Promise<RecordAnswer> {
    // The API gives out no such id, and `encodeURIComponent` throws for some.
    if (!isTaskId(taskId)) return { kind: 'not-found' };
    const answer = await this.#get(`generation/${encodeURIComponent(taskId)}`, caller, timeout);
    if (answer instanceof TransportFailure) {
      return { kind: 'unavailable', code: 'NETWORK', reason: answer.message };
    }
    if (answer.status === 200) {
      const record = readGenerationSchema.safeParse(answer.body);
      if (record.success && record.data.id === taskId) return { kind: 'record', record: record.data };
      return {
        kind: 'unavailable',
        code: 'UNREADABLE',
        reason: 'the answer 200 is not the record of this task',
      };
    }
    const refusal = readRefusal(answer);
    if (answer.status === 404 && refusal.code === 'PREDICTION_NOT_FOUND') return { kind: 'not-found' };
    return { kind: 'unavailable', ...refusal };
  }

  /** `GET {base}/credits`: the balance. */
  async getCredits(caller: Caller, timeout: number): Promise<CreditsAnswer> {
    const answer = await this.#get('credits', caller, timeout);
    if (answer instanceof TransportFailure) {
      return { kind: 'unavailable', code: 'NETWORK', reason: answer.message };
    }
    const credits = answer.status === 200 ? readCreditsSchema.safeParse(answer.body) : undefined;
    if (credits?.success === true) return { kind: 'credits', credits: credits.data };
    const { code, reason } = readRefusal(answer);
    return { kind: 'unavailable', code, reason };
  }

  /** Gives up what is still under way: to be called when nobody waits for an answer any more. */
  async close(): Promise<void> {
    await Promise.all(Object.values(this.#agents).map((agent) => agent.destroy()));
  }

  /** @throws TransportFailure */
  async #exchange(request: HttpRequest): Promise<HttpAnswer> {
    const answer = await exchange(this.#agents[request.method], request);
    // A refusal may be a gateway's, whose clock is another.
    if (answer.status < 300) this.clock.note(answer.headers['date'], Date.now());
    return answer;
  }

  async #get(path: string, caller: Caller, timeout: number): Promise<ApiAnswer | TransportFailure> {
    try {
      const answer = await this.#exchange({
        method: 'GET',
        url: new URL(`${this.#base}/${path}`),
        headers: headersOf(caller),
        timeout,
        maxBytes: MAX_RECORD_BYTES,
      });
      return readAnswer(answer, caller);
    } catch (error) {
      if (error instanceof TransportFailure) return error;
      throw error;
    }
  }
}

function headersOf({ apiKey, headers }: Caller): Record<string, string> {
  return {
    ...headers,
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    'user-agent': 'darkroom',
  };
}

function readRefusal(answer: ApiAnswer): { code: string; reason: string; retryAfter?: number } {
  const body = readErrorBodySchema.safeParse(answer.body);
  const retryAfter = parseRetryAfter(answer.headers['retry-after'], Date.now());
  const code = body.success ? body.data.code : `HTTP_${answer.status}`;
  const words = body.success && body.data.message !== '' ? `: ${body.data.message}` : '';
  return {
    code,
    reason: `the API answered ${answer.status} ${body.success ? code : 'without an error body'}${words}`,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}
