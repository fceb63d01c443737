import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ZodError } from 'zod';
import { BalanceError } from '../accounts/credits.ts';
import { type Answer, errorAnswer, json } from '../http/answer.ts';
import { Exchange } from '../http/exchange.ts';
import { readBody } from '../http/read-body.ts';
import type { Service } from '../service.ts';
import { refuseAccess } from './access.ts';
import { ACCOUNT_ROUTES } from './account-routes.ts';
import { streamChanges } from './event-stream.ts';
import { FAULT_ROUTES } from './fault-routes.ts';
import { LEDGER_ROUTES } from './ledger-routes.ts';
import { ControlError, type ControlRoute, matchPath } from './route.ts';
import { STATE_ROUTES } from './state-routes.ts';
import { TASK_ROUTES } from './task-routes.ts';
import { WEBHOOK_ROUTES } from './webhook-routes.ts';

const ROUTES: readonly ControlRoute[] = [
  ...STATE_ROUTES,
  ...ACCOUNT_ROUTES,
  ...WEBHOOK_ROUTES,
  ...TASK_ROUTES,
  ...LEDGER_ROUTES,
  ...FAULT_ROUTES,
];

const MOST_BYTES = 4 * 1024 * 1024;

export interface ControlAccess {
  /** The parts as they are now: a reset replaces them. */
  current: () => Service;
  /** Whether other machines may come in. */
  open: boolean;
}

/** The control API: JSON without a key, for this machine only. What it does is in docs/emulator.md. */
export async function answerControl(
  { current, open }: ControlAccess,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
  query: string,
): Promise<void> {
  const exchange = new Exchange(request, response, 'control', current().counters);
  const refusal = refuseAccess(request, { open, origin: current().origin() });
  if (refusal !== undefined) {
    exchange.answer(errorAnswer(403, { code: 'FORBIDDEN', message: refusal }));
    return;
  }
  const below = path.slice('/control'.length) || '/state';
  if (below === '/events' && request.method === 'GET') {
    exchange.countAnswer(200);
    streamChanges(current, current().changes, response);
    return;
  }
  const body = await readBody(request, MOST_BYTES);
  if (body.kind === 'aborted') return;
  if (body.kind === 'too-large') {
    exchange.answer(errorAnswer(413, { code: 'TOO_LARGE', message: 'The body is too large' }));
    return;
  }
  exchange.answer(await operate(current(), request.method ?? '', below, query, body.bytes));
}

async function operate(
  service: Service,
  method: string,
  path: string,
  query: string,
  bytes: Buffer,
): Promise<Answer> {
  try {
    const fitting = ROUTES.flatMap((route) => {
      const params = matchPath(route.path, path);
      return params === undefined ? [] : [{ route, params }];
    });
    const found = fitting.find(({ route }) => route.method === method);
    if (found === undefined) {
      const methods = fitting.map(({ route }) => route.method).join(', ');
      if (fitting.length > 0) throw new ControlError(405, `${path} takes ${methods}`);
      throw new ControlError(404, `There is nothing at /control${path}`);
    }
    const { route, params } = found;
    const parsedQuery = route.query.safeParse(Object.fromEntries(new URLSearchParams(query)));
    if (!parsedQuery.success) return invalid(parsedQuery.error);
    const parsedBody = route.body.safeParse(bytes.length === 0 ? {} : parseJson(bytes));
    if (!parsedBody.success) return invalid(parsedBody.error);
    const result = await route.handle({ service, params, query: parsedQuery.data, body: parsedBody.data });
    return result === undefined
      ? { status: 204, contentType: 'application/json', body: '' }
      : json(200, result);
  } catch (error) {
    if (error instanceof BalanceError)
      return errorAnswer(422, { code: 'INVALID_INPUT', message: error.message });
    if (!(error instanceof ControlError)) throw error;
    return errorAnswer(error.status, { code: CODES[error.status] ?? 'ERROR', message: error.message });
  }
}

const CODES: Readonly<Record<number, string>> = {
  400: 'INVALID_INPUT',
  404: 'NOT_FOUND',
  405: 'METHOD_NOT_ALLOWED',
  409: 'CONFLICT',
  422: 'INVALID_INPUT',
};

function invalid(error: ZodError): Answer {
  const errors = error.issues.map(({ path, message, code }) => ({ path: path.join('.'), message, code }));
  const message = errors
    .map((one) => (one.path === '' ? one.message : `${one.path}: ${one.message}`))
    .join('; ');
  return errorAnswer(422, { code: 'INVALID_INPUT', message, errors });
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new ControlError(400, 'The body is not JSON');
  }
}
