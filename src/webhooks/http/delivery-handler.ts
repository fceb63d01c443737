import type { Socket } from 'node:net';
import type { ReceiverCounts, RequestRefusal } from '../metrics.ts';
import type { OccasionalLog } from '../occasional-log.ts';
import type { ReceiverConfig, WorkspaceHook } from '../receiver-config.ts';
import type { Deliveries } from '../routing/deliver.ts';
import { OUTCOMES, type Outcome } from '../routing/outcome.ts';
import { parseEvent } from '../routing/parse-event.ts';
import type { SignatureHeaders } from '../signature/signature-headers.ts';
import { verify } from '../signature/verify.ts';
import type { ConnectionGate } from './connection-gate.ts';
import type { Reply } from './reply.ts';

/** A workspace with its hook's settings and its deliveries. */
export interface WorkspaceEntry {
  hook: WorkspaceHook;
  deliveries: Deliveries;
}

/** A POST to a workspace's path that HTTP has nothing to say against, with its whole body. */
export interface DeliveryRequest {
  /** Undefined when one of them stood there twice. */
  signatureHeaders: SignatureHeaders | undefined;
  body: Buffer;
  socket: Socket;
  /** When it began to arrive, by `performance.now()`. */
  start: number;
}

export interface DeliveryHandlerDeps {
  config: Pick<ReceiverConfig, 'caps' | 'retryAfter'>;
  gate: ConnectionGate;
  counts: ReceiverCounts;
  troubles: OccasionalLog;
  /** Takes the seconds that an acknowledgement took. */
  observeLatency: (seconds: number) => void;
  now: () => number;
}

/** Verifies deliveries first, reads them after, hands them over, and answers when that is done. */
export class DeliveryHandler {
  readonly #deps: DeliveryHandlerDeps;
  #inFlight = 0;

  constructor(deps: DeliveryHandlerDeps) {
    this.#deps = deps;
  }

  /** Verified deliveries that are not answered yet. */
  get inFlight(): number {
    return this.#inFlight;
  }

  handle({ hook, deliveries }: WorkspaceEntry, request: DeliveryRequest, reply: Reply): void {
    const { config, gate, troubles, now } = this.#deps;
    const { body, socket, start } = request;
    const receivedAt = now();
    const verified = verify(request.signatureHeaders, body, hook.secrets, receivedAt, hook);
    if (!verified.ok) {
      troubles.warn('deliveries are refused for their signature', { reason: verified.reason });
      this.#refuse(reply, 401, `signature ${verified.reason}`);
      return;
    }
    gate.trust(socket);
    const event = parseEvent(body);
    if (event === undefined || (verified.eventType !== undefined && verified.eventType !== event.type)) {
      troubles.warn('well-signed deliveries are refused because they are no events');
      this.#refuse(reply, 400, 'no event');
      return;
    }
    if (this.#inFlight >= config.caps.inFlight) {
      deliveries.heldUp();
      this.#refuse(reply, 503, 'too many in flight');
      return;
    }
    this.#inFlight += 1;
    const delivery = {
      webhookId: verified.webhookId,
      idIsSigned: verified.generation === 'standard',
      event,
      receivedAt,
    };
    deliveries.deliver(delivery, (outcome) => {
      this.#inFlight -= 1;
      this.#answer(reply, outcome, start);
    });
  }

  #answer(reply: Reply, outcome: Outcome, start: number): void {
    this.#deps.counts.settle(outcome);
    if (OUTCOMES[outcome].acknowledged) {
      reply.acknowledge();
      this.#deps.observeLatency((performance.now() - start) / 1_000);
    } else {
      reply.refuse(503, this.#deps.config.retryAfter);
    }
  }

  #refuse(reply: Reply, status: 400 | 401 | 503, reason: RequestRefusal): void {
    this.#deps.counts.refuse(reason);
    reply.refuse(status, status === 503 ? this.#deps.config.retryAfter : undefined);
  }
}
