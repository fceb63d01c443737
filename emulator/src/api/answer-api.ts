import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Scope } from '../accounts/accounts.ts';
import { errorAnswer } from '../http/answer.ts';
import type { RequestKind } from '../http/counters.ts';
import { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { getCredits } from './get-credits.ts';
import { getGeneration } from './get-generation.ts';
import { MESSAGES, refuseCredits, refuseGet, refuseSubmit } from './refusals.ts';
import { submit } from './submit.ts';

export const API_PREFIX = '/api/v1';

/**
 * The three operations of the media API. Checked in this order (assumed): the key (401), the workspace (403), the
 * route and its model (404), the rate limit (429), the body (400, 413), template (404), input (422), credits (402),
 * moderation (422).
 *
 * @param path without the prefix and its slash, still percent-encoded
 */
export async function answerApi(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const operation = operationOf(request.method ?? '', path);
  const exchange = new Exchange(request, response, operation.kind, service.counters);
  const { accounts, assumptions } = service;

  const key = accounts.authenticate(request.headers.authorization);
  if (key === undefined) {
    exchange.answer(errorAnswer(401, { code: 'UNAUTHORIZED', message: MESSAGES.UNAUTHORIZED }));
    return;
  }
  const workspace = accounts.enter(key, exchange.header(assumptions.workspaceHeader), operation.scope);
  if (workspace === undefined) {
    if (operation.kind === 'get') exchange.answer(refuseGet(403, MESSAGES.WORKSPACE_FORBIDDEN));
    else if (operation.kind === 'credits') {
      exchange.answer(refuseCredits(assumptions, 'WORKSPACE_FORBIDDEN', MESSAGES.WORKSPACE_FORBIDDEN));
    } else exchange.answer(refuseSubmit(assumptions, 'image', 'WORKSPACE_FORBIDDEN'));
    return;
  }

  if (operation.kind === 'get') {
    await getGeneration(service, exchange, key, path.slice('generation/'.length));
    return;
  }
  if (operation.kind === 'credits') {
    await getCredits(service, exchange, { key, workspace });
    return;
  }
  const offered = operation.kind === 'submit' ? service.models.find(decoded(path)) : undefined;
  if (offered === undefined) {
    const { status, code } = assumptions.unknownRoute;
    const message = operation.kind === 'submit' ? 'There is no such model.' : 'There is no such route.';
    exchange.answer(errorAnswer(status, { code, message }));
    return;
  }
  await submit(service, exchange, { key, workspace }, offered);
}

function operationOf(method: string, path: string): { kind: RequestKind; scope: Scope } {
  if (method === 'POST' && path.startsWith('generation/')) return { kind: 'submit', scope: 'generate' };
  if (method === 'GET' && /^generation\/[^/]+$/.test(path)) return { kind: 'get', scope: 'read' };
  if (method === 'GET' && path === 'credits') return { kind: 'credits', scope: 'credits' };
  return { kind: 'other', scope: 'read' };
}

/** A version's colon may come percent-encoded. What cannot be decoded names no model. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
