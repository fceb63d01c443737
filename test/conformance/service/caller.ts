import { setTimeout as sleep } from 'node:timers/promises';
import type { z } from 'zod';
import type { Model } from '../../../src/api/models/define-model.ts';
import type { ModelOverrides } from '../../../src/api/models/override.ts';
import {
  type generationSchema as GenerationSchema,
  generationSchema,
  TERMINAL_STATES,
} from '../../../src/api/records/generation-record.ts';
import { toWire } from '../../../src/api/wire.ts';
import type { Spending } from './spending.ts';

/** An HTTP answer, its body parsed where it is JSON. */
export interface Answer {
  status: number;
  headers: Headers;
  body: unknown;
}

interface CallOptions {
  /** An object is sent as JSON; a form and a text go as they are. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Another `Authorization` header than this caller's; null: none. */
  authorization?: string | null;
}

type Generation = z.infer<typeof GenerationSchema>;

/** Calls a media API over HTTP with one key. */
export class Caller {
  readonly baseUrl: string;
  readonly #apiKey: string;
  readonly #overrides: ModelOverrides;
  readonly #spending: Spending;
  readonly #patience: number;

  constructor(service: {
    baseUrl: string;
    apiKey: string;
    overrides: ModelOverrides;
    spending: Spending;
    patience: number;
  }) {
    this.baseUrl = service.baseUrl;
    this.#apiKey = service.apiKey;
    this.#overrides = service.overrides;
    this.#spending = service.spending;
    this.#patience = service.patience;
  }

  /** One request below the base URL. It costs nothing, so no submits with a good key this way. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Answer> {
    const { body, headers = {}, authorization = `Bearer ${this.#apiKey}` } = options;
    const asJson = typeof body === 'object' && body !== null && !(body instanceof FormData);
    const response = await fetch(`${this.baseUrl}/${path}`, {
      method,
      redirect: 'manual',
      headers: {
        ...(authorization === null ? {} : { authorization }),
        ...(asJson ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      ...(body === undefined ? {} : { body: asJson ? JSON.stringify(body) : (body as string | FormData) }), // nothing else is sent
    });
    return { status: response.status, headers: response.headers, body: parsed(await response.text()) };
  }

  /** One submit to a path below the base URL, within the spending cap. */
  async post(path: string, body: unknown, options: Omit<CallOptions, 'body'> = {}): Promise<Answer> {
    return await this.#spending.during(() => this.call('POST', path, { ...options, body }));
  }

  /** One submit of a model's input, under the names that the service gives its path and fields. */
  async submit(
    model: Pick<Model, 'id' | 'path'>,
    input: Record<string, unknown>,
    options: Omit<CallOptions, 'body'> = {},
  ): Promise<Answer> {
    const { path, body } = toWire(model, input, this.#overrides[model.id]);
    return await this.post(path, body, options);
  }

  /** `GET generation/{id}`, which must answer a record that the contract parses. */
  async record(id: string): Promise<Generation> {
    const { status, body } = await this.call('GET', `generation/${encodeURIComponent(id)}`);
    if (status !== 200) throw new Error(`GET generation/${id} answers ${status} ${JSON.stringify(body)}`);
    return generationSchema.parse(body);
  }

  /** The record once it is as wanted; by default once the task has ended. */
  async recordWhen(
    id: string,
    wanted: (record: Generation) => boolean = ({ status }) => TERMINAL_STATES.has(status),
  ): Promise<Generation> {
    const deadline = Date.now() + this.#patience;
    for (let pause = 5; ; pause = Math.min(pause * 1.5, 5000)) {
      const record = await this.record(id);
      if (wanted(record)) return record;
      if (Date.now() > deadline) throw new Error(`Waited in vain for task ${id}, which is ${record.status}`);
      await sleep(pause);
    }
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
