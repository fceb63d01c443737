import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ReceiverCounts } from '../metrics.ts';
import type { ReceiverConfig } from '../receiver-config.ts';
import { readSignatureHeaders } from '../signature/signature-headers.ts';
import { refuse, refuseUnread } from './answers.ts';
import type { DeliveryHandler, WorkspaceEntry } from './delivery-handler.ts';
import { judgeRequest, TOO_LARGE } from './http-guard.ts';
import { BodyBudget, readBody } from './read-body.ts';
import type { Acknowledgements, Reply } from './reply.ts';

export interface HttpDeliveriesDeps {
  config: Pick<ReceiverConfig, 'maxBodyBytes' | 'caps' | 'retryAfter'>;
  handler: DeliveryHandler;
  counts: ReceiverCounts;
  acknowledgements: Acknowledgements;
  isDraining: () => boolean;
}

/**
 * Deliveries as node:http hands them on: everything that can be judged without the body, then the body, up to
 * its limit.
 */
export class HttpDeliveries {
  readonly #deps: HttpDeliveriesDeps;
  readonly #budget: BodyBudget;

  constructor(deps: HttpDeliveriesDeps) {
    this.#deps = deps;
    this.#budget = new BodyBudget(deps.config.caps.bufferedBytes);
  }

  /** @param beforeBody called when the body may come, for a sender that waits to be told */
  handle(
    entry: WorkspaceEntry,
    request: IncomingMessage,
    response: ServerResponse,
    beforeBody?: () => void,
  ): void {
    const { config, counts, handler } = this.#deps;
    const start = performance.now();
    counts.received += 1;
    const refusal = judgeRequest(request, config.maxBodyBytes);
    if (refusal !== undefined) {
      counts.refuse(refusal.reason);
      refuseUnread(request, response, refusal.status, refusal.status === 405 ? { allow: 'POST' } : {});
      return;
    }
    beforeBody?.();
    readBody(request, config.maxBodyBytes, this.#budget, (result) => {
      switch (result.kind) {
        case 'read': {
          const signatureHeaders = readSignatureHeaders(request.rawHeaders);
          const reply = this.#replyTo(response, result.budgeted);
          const { socket } = request;
          handler.handle(entry, { signatureHeaders, body: result.body, socket, start }, reply);
          return;
        }
        case 'too large':
          counts.refuse(TOO_LARGE.reason);
          refuseUnread(request, response, TOO_LARGE.status);
          return;
        case 'no room':
          counts.refuse('too many bytes');
          refuseUnread(request, response, 503, { 'retry-after': String(config.retryAfter) });
          return;
        case 'aborted':
          counts.refuse('aborted');
      }
    });
  }

  #replyTo(response: ServerResponse, budgeted: number): Reply {
    const { acknowledgements, isDraining } = this.#deps;
    const settle = (): void => {
      this.#budget.release(budgeted);
      // It may have been held since before the shutdown began.
      if (isDraining()) response.shouldKeepAlive = false;
    };
    return {
      acknowledge() {
        settle();
        acknowledgements.add(() => response.writeHead(204).end());
      },
      refuse(status, retryAfter) {
        settle();
        refuse(response, status, retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) });
      },
    };
  }
}
