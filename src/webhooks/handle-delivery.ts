import type { IncomingMessage, ServerResponse } from 'node:http';
import { Acknowledgements, refuse, refuseUnread } from './answers.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { Deliveries } from './deliver.ts';
import { judgeRequest, TOO_LARGE } from './http-guard.ts';
import type { ReceiverCounts, RequestRefusal } from './metrics.ts';
import type { OccasionalLog } from './occasional-log.ts';
import { OUTCOMES, type Outcome } from './outcome.ts';
import { parseEvent } from './parse-event.ts';
import { BodyBudget, readBody } from './read-body.ts';
import type { ReceiverConfig, WorkspaceHook } from './receiver-config.ts';
import { verify } from './signature.ts';

/** A workspace with its hook's settings and its deliveries. */
export interface WorkspaceEntry {
  hook: WorkspaceHook;
  deliveries: Deliveries;
}

export interface DeliveryHandlerDeps {
  config: Pick<ReceiverConfig, 'maxBodyBytes' | 'caps' | 'retryAfter'>;
  gate: ConnectionGate;
  counts: ReceiverCounts;
  troubles: OccasionalLog;
  /** Takes the seconds that an acknowledgement took. */
  observeLatency: (seconds: number) => void;
  isDraining: () => boolean;
  now: () => number;
}

/**
 * Handles `POST /webhooks/<workspace>`: everything that can be judged without the body, then the body, its
 * signature, only then its content, and at last the hand-over. Acknowledged (204) when that is done.
 */
export class DeliveryHandler {
  readonly #deps: DeliveryHandlerDeps;
  readonly #budget: BodyBudget;
  readonly #acknowledgements = new Acknowledgements();
  readonly #retryAfter: Record<string, string>;
  #inFlight = 0;

  constructor(deps: DeliveryHandlerDeps) {
    this.#deps = deps;
    this.#budget = new BodyBudget(deps.config.caps.bufferedBytes);
    this.#retryAfter = { 'retry-after': String(deps.config.retryAfter) };
  }

  /** Verified deliveries that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  /** @param beforeBody called when the body may come, for a sender that waits to be told */
  handle(
    entry: WorkspaceEntry,
    request: IncomingMessage,
    response: ServerResponse,
    beforeBody?: () => void,
  ): void {
    const { config, counts } = this.#deps;
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
        case 'read':
          this.#take(entry, request, response, result.body, result.budgeted, start);
          return;
        case 'too large':
          counts.refuse(TOO_LARGE.reason);
          refuseUnread(request, response, TOO_LARGE.status);
          return;
        case 'no room':
          counts.refuse('too many bytes');
          refuseUnread(request, response, 503, this.#retryAfter);
          return;
        case 'aborted':
          counts.refuse('aborted');
      }
    });
  }

  #take(
    { hook, deliveries }: WorkspaceEntry,
    request: IncomingMessage,
    response: ServerResponse,
    body: Buffer,
    budgeted: number,
    start: number,
  ): void {
    const { config, gate, now } = this.#deps;
    const receivedAt = now();
    const verified = verify(request.rawHeaders, body, hook.secrets, receivedAt, hook);
    if (!verified.ok) {
      this.#budget.release(budgeted);
      this.#deps.troubles.warn('deliveries are refused for their signature', { reason: verified.reason });
      this.#refuse(response, 401, `signature ${verified.reason}`);
      return;
    }
    gate.trust(request.socket);
    const event = parseEvent(body);
    if (event === undefined || (verified.eventType !== undefined && verified.eventType !== event.type)) {
      this.#budget.release(budgeted);
      this.#deps.troubles.warn('well-signed deliveries are refused because they are no events');
      this.#refuse(response, 400, 'no event');
      return;
    }
    if (this.#inFlight >= config.caps.inFlight) {
      this.#budget.release(budgeted);
      this.#refuse(response, 503, 'too many in flight', this.#retryAfter);
      return;
    }
    const outcome = deliveries.deliver({
      webhookId: verified.webhookId,
      idIsSigned: verified.generation === 'standard',
      event,
      receivedAt,
    });
    if (typeof outcome === 'string') {
      this.#budget.release(budgeted);
      this.#answer(response, outcome, start);
      return;
    }
    void this.#finish(outcome, response, budgeted, start);
  }

  async #finish(
    outcome: Promise<Outcome>,
    response: ServerResponse,
    budgeted: number,
    start: number,
  ): Promise<void> {
    this.#inFlight += 1;
    const settled = await outcome;
    this.#inFlight -= 1;
    this.#budget.release(budgeted);
    this.#answer(response, settled, start);
  }

  #answer(response: ServerResponse, outcome: Outcome, start: number): void {
    this.#deps.counts.settle(outcome);
    // It may have been held since before the shutdown began.
    if (this.#deps.isDraining()) response.shouldKeepAlive = false;
    if (OUTCOMES[outcome].acknowledged) {
      this.#acknowledgements.add(response);
      this.#deps.observeLatency((performance.now() - start) / 1_000);
    } else {
      refuse(response, 503, this.#retryAfter);
    }
  }

  #refuse(
    response: ServerResponse,
    status: number,
    reason: RequestRefusal,
    headers: Record<string, string> = {},
  ): void {
    this.#deps.counts.refuse(reason);
    refuse(response, status, headers);
  }
}
