import { Agent, fetch } from 'undici';
import type { Emulator } from '../../emulator/src/server.ts';
import { until } from './until.ts';

/** An answer with its body parsed where it is JSON. */
export interface Called {
  status: number;
  headers: Headers;
  // The tests read whatever the body holds; what it must hold is what they assert.
  body: Json;
}
// oxlint-disable-next-line typescript/no-explicit-any -- JSON of any shape, read by property in the tests
export type Json = any;

interface Headers {
  get(name: string): string | null;
}

/** A connection for each call: one that was kept would break when an emulator is started again on its port. */
const AGENT = new Agent({ pipelining: 0 });

/** Calls an emulator over HTTP, as its users do. */
export class ApiCaller {
  readonly #emulator: Emulator;
  readonly #key: string;

  constructor(emulator: Emulator, key = emulator.apiKey) {
    this.#emulator = emulator;
    this.#key = key;
  }

  async call(
    method: string,
    url: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Called> {
    const response = await fetch(url, {
      method,
      dispatcher: AGENT,
      redirect: 'manual',
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: json(text) };
  }

  /** @param model the path below `generation/darkroom/` */
  async submit(model: string, input: unknown, headers: Record<string, string> = {}): Promise<Called> {
    const url = `${this.#emulator.baseUrl}/generation/darkroom/${model}`;
    return await this.call('POST', url, input, { authorization: `Bearer ${this.#key}`, ...headers });
  }

  /** Submits and fails unless it is accepted. @returns the task's id */
  async accepted(model: string, input: unknown, headers: Record<string, string> = {}): Promise<string> {
    const { status, body } = await this.submit(model, input, headers);
    if (status !== 201) throw new Error(`${status} ${JSON.stringify(body)}`);
    return String(body.id);
  }

  async get(id: string, headers: Record<string, string> = {}): Promise<Called> {
    const url = `${this.#emulator.baseUrl}/generation/${id}`;
    return await this.call('GET', url, undefined, { authorization: `Bearer ${this.#key}`, ...headers });
  }

  async credits(headers: Record<string, string> = {}): Promise<Called> {
    const url = `${this.#emulator.baseUrl}/credits`;
    return await this.call('GET', url, undefined, { authorization: `Bearer ${this.#key}`, ...headers });
  }

  /** The record once its task has ended. */
  async settled(id: string): Promise<Json> {
    return await until(async () => {
      const { body } = await this.get(id);
      return !['IN_QUEUE', 'IN_PROGRESS'].includes(body.status) && body;
    }, `task ${id} to end`);
  }

  /** @param operation e.g. `GET /ledger` */
  async control(operation: string, body?: unknown): Promise<Called> {
    const [method = '', path = ''] = operation.split(' ');
    return await this.call(method, `${this.#emulator.controlUrl}${path}`, body);
  }
}

function json(text: string): Json {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
