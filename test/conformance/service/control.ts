import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { FaultRuleInput } from '../../../emulator/src/faults/rule.ts';

const withId = z.looseObject({ id: z.string() });

/** The emulator's control API: what a test of a real service can only do in the dashboard, or not at all. */
export class Control {
  readonly #url: string;

  /** @param url ends in `/control` */
  constructor(url: string) {
    this.#url = url;
  }

  /** @param operation e.g. `POST /keys` @throws Error unless it answers 2xx */
  async do(operation: string, body?: unknown): Promise<unknown> {
    const [method = '', path = ''] = operation.split(' ');
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body === undefined
        ? {}
        : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${operation} answers ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** A new workspace. @returns its id */
  async workspace(settings: object): Promise<string> {
    const id = `conformance-${randomUUID()}`;
    await this.do('POST /workspaces', { id, ...settings });
    return id;
  }

  /** A new key. @returns its id and its value */
  async key(settings: object): Promise<{ id: string; value: string }> {
    const made = await this.do('POST /keys', { name: 'conformance', ...settings });
    return z.looseObject({ id: z.string(), value: z.string() }).parse(made);
  }

  /** A new webhook endpoint. @returns its id and its secret */
  async endpoint(settings: object): Promise<{ id: string; secret: string }> {
    const made = await this.do('POST /endpoints', settings);
    return z.looseObject({ id: z.string(), secret: z.string() }).parse(made);
  }

  /** Lets a fault strike while `work` runs. */
  async during<T>(rule: FaultRuleInput, work: () => Promise<T>): Promise<T> {
    const id = `conformance-${randomUUID()}`;
    await this.do('POST /faults', { ...rule, id });
    try {
      return await work();
    } finally {
      await this.do(`DELETE /faults/${id}`);
    }
  }

  /** What the emulator has of a task beyond its record. */
  async task(id: string): Promise<Record<string, unknown>> {
    return withId.parse(await this.do(`GET /tasks/${id}`));
  }
}
