import { z } from 'zod';
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

/** What a route gets to see: path parameters decoded, query and body checked. */
export interface ControlRequest<Query, Body> {
  service: Service;
  params: Readonly<Record<string, string>>;
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
  handle(request: ControlRequest<unknown, unknown>): unknown;
}

const NOTHING = z.unknown();

/** Writes a route down with its types. Without a `body` schema whatever is sent is ignored. */
export function route<Query extends z.ZodType = z.ZodUnknown, Body extends z.ZodType = z.ZodUnknown>(
  operation: `${'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'} ${string}`,
  {
    query,
    body,
    handle,
  }: {
    query?: Query;
    body?: Body;
    handle: (request: ControlRequest<z.output<Query>, z.output<Body>>) => unknown;
  },
): ControlRoute {
  const [method = '', path = ''] = operation.split(' ');
  return {
    method,
    path,
    query: query ?? NOTHING,
    body: body ?? NOTHING,
    // The dispatcher hands over what exactly these two schemas gave.
    handle: (request) => handle(request as ControlRequest<z.output<Query>, z.output<Body>>),
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
      params[part.slice(1)] = decoded(value);
    } else if (part !== value) return undefined;
  }
  return params;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw new ControlError(400, `${segment} cannot be decoded`);
  }
}

/** The thing of that id. @throws ControlError 404 */
export function existing<T>(thing: T | undefined, what: string, id: string | undefined): T {
  if (thing === undefined) throw new ControlError(404, `There is no ${what} ${id ?? ''}`);
  return thing;
}
