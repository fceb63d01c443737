import type { IncomingMessage, ServerResponse } from 'node:http';
import { errorAnswer } from '../http/answer.ts';
import type { RequestKind } from '../http/counters.ts';
import { Exchange } from '../http/exchange.ts';
import type { Service } from '../service.ts';
import { getCredits } from './get-credits.ts';
import { getGeneration } from './get-generation.ts';
import { MESSAGES, refuseCredits, refuseGet } from './refusals.ts';
import { submit } from './submit.ts';

export const API_PREFIX = '/api/v1';

/**
 * The three operations of the media API. Those that read check the key (401), then the workspace (403).
 *
 * @param path without the prefix and its slash, still percent-encoded
 */
export async function answerApi(
  service: Service,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): Promise<void> {
  const kind = kindOf(request.method ?? '', path);
  const exchange = new Exchange(request, response, kind, service.counters);
  if (kind === 'submit') {
    await submit(service, exchange, path);
    return;
  }
  const { accounts, assumptions } = service;
  const key = accounts.authenticate(request.headers.authorization);
  if (key === undefined) {
    exchange.answer(errorAnswer(401, { code: 'UNAUTHORIZED', message: MESSAGES.UNAUTHORIZED }));
    return;
  }
  if (kind === 'other') {
    const { status, code } = assumptions.unknownRoute;
    exchange.answer(errorAnswer(status, { code, message: 'There is no such route.' }));
    return;
  }
  const named = exchange.header(assumptions.workspaceHeader);
  const workspace = accounts.enter(key, named, assumptions.keyScopes[kind]);
  const forbidden = MESSAGES.WORKSPACE_FORBIDDEN;
  if (kind === 'get') {
    if (workspace === undefined) exchange.answer(refuseGet(403, forbidden));
    else await getGeneration(service, exchange, key, path.slice('generation/'.length));
  } else if (workspace === undefined)
    exchange.answer(refuseCredits(assumptions, 'WORKSPACE_FORBIDDEN', forbidden));
  else await getCredits(service, exchange, { key, workspace });
}

function kindOf(method: string, path: string): Exclude<RequestKind, 'file' | 'control'> {
  if (method === 'POST' && path.startsWith('generation/')) return 'submit';
  if (method === 'GET' && /^generation\/[^/]+$/.test(path)) return 'get';
  return method === 'GET' && path === 'credits' ? 'credits' : 'other';
}
