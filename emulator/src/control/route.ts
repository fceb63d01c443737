import { z } from 'zod';
import { decoded } from '../http/decoded.ts';
import type { Service } from '../service.ts';

/** A refusal of the control API. */
export class ControlError extends Error {
  override readonly name = 'ControlError';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** `/keys/:id/revoke` → `id` */
type ParamOf<Operation extends string> = Operation extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamOf<`/${Rest}`>
  : Operation extends `${string}/:${infer Name}`
    ? Name
    : never;

/** What a route gets to see: path parameters decoded, query and body checked. */
interface ControlRequest<Param extends string, Query, Body> {
  service: Service;
  params: Readonly<Record<Param, string>>;
  query: Query;
  body: Body;
}

/** One operation. What `handle` returns is the JSON of a 200; undefined is a 204. */
export interface ControlRoute {
  method: string;
  /** e.g. `/keys/:id`, below `/control` */
  path: string;
  query: z.ZodType;
  body: z.ZodType;
  handle(request: ControlRequest<string, unknown, unknown>): unknown;
}

/** Writes a route down with its types. Without a schema for its query or body whatever is sent is ignored. */
export function route<
  const Operation extends `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`,
  Query extends z.ZodType = z.ZodUnknown,
  Body extends z.ZodType = z.ZodUnknown,
>(
  operation: Operation,
  { query, body }: { query?: Query; body?: Body },
  handle: (request: ControlRequest<ParamOf<Operation>, z.output<Query>, z.output<Body>>) => unknown,
): ControlRoute {
  const [method = '', path = ''] = operation.split(' ');
  return {
    method,
    path,
    query: query ?? z.unknown(),
    body: body ?? z.unknown(),
    // The dispatcher hands over what exactly this path and these two schemas gave.
    handle: (request) => handle(request as Parameters<typeof handle>[0]),
  };
}

/** The parameters of a path that fits the pattern; undefined where it does not. */
export function matchPath(pattern: string, path: string): Record<string, string> | undefined {
  const wanted = pattern.split('/');
  const given = path.split('/');
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [index, part] of wanted.entries()) {
    const value = given[index] ?? '';
    if (part.startsWith(':')) {
      if (value === '') return undefined;
      const param = decoded(value);
      if (param === undefined) throw new ControlError(400, `${value} cannot be decoded`);
      params[part.slice(1)] = param;
    } else if (part !== value) return undefined;
  }
  return params;
}

/** The thing of that id. @throws ControlError 404 */
export function existing<T>(thing: T | undefined, what: string, id: string): T {
  if (thing === undefined) throw new ControlError(404, `There is no ${what} ${id}`);
  return thing;
}

/** Removes the thing of that id. @throws ControlError 404 */
export function removeFrom(things: { remove(id: string): boolean }, what: string, id: string): void {
  if (!things.remove(id)) throw new ControlError(404, `There is no ${what} ${id}`);
}
