import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord } from '../../api/json/is-record.ts';
import { parseJson } from '../../api/json/parse-json.ts';
import { RECEIVER_CHECK, type ReceiverCheckAnswer } from '../../contract/receiver-check.ts';
import type { ReceiverCounts, RequestRefusal, registerMetrics } from '../metrics.ts';
import type { OccasionalLog } from '../occasional-log.ts';
import type { ReceiverConfig, WorkspaceHook } from '../receiver-config.ts';
import { ageAtEnd } from '../routing/created-task.ts';
import { OUTCOMES, type Outcome } from '../routing/outcome.ts';
import { parseEvent } from '../routing/parse-event.ts';
import type { WorkspaceEvents } from '../routing/workspace-events.ts';
import type { SeenEvents } from '../seen-events.ts';
import { readSignatureHeaders } from '../signature/signature-headers.ts';
import { verify } from '../signature/verify.ts';
import { refuse, refuseUnread } from './answers.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { Gathered } from './gathered.ts';
import { type BodyBudget, readRequest } from './read-request.ts';
import { RefusalRows } from './refusal-rows.ts';

/** What the endpoints of a receiver share. */
export interface EndpointDeps {
  config: Pick<ReceiverConfig, 'maxBodyBytes' | 'caps' | 'retryAfter'>;
  gate: ConnectionGate;
  budget: BodyBudget;
  counts: ReceiverCounts;
  troubles: OccasionalLog;
  acknowledgements: Gathered<ServerResponse>;
  /** Takes the seconds that an acknowledgement took, and those that a task took. */
  observe: ReturnType<typeof registerMetrics>;
  isDraining: () => boolean;
  /** Takes the workspace of each signed event. */
  onEvent: (workspace: string) => void;
  now: () => number;
}

/** A delivery whose body has come whole. */
interface Delivery {
  request: IncomingMessage;
  response: ServerResponse;
  body: Buffer;
  /** Taken from the budget. */
  budgeted: number;
  /** When the request came, by `performance.now()`. */
  start: number;
}

/** A workspace's endpoint: verifies deliveries first, reads them after, passes their events on, and answers then. */
export class Endpoint {
  readonly #workspace: string;
  readonly #deps: EndpointDeps;
  readonly #hook: WorkspaceHook;
  readonly #events: WorkspaceEvents;
  readonly #seen: SeenEvents;
  readonly #rows: RefusalRows;
  readonly #read = new Gathered<Delivery>((delivery) => this.#take(delivery));

  constructor(
    workspace: string,
    deps: EndpointDeps,
    { hook, events, seen }: { hook: WorkspaceHook; events: WorkspaceEvents; seen: SeenEvents },
  ) {
    this.#workspace = workspace;
    this.#deps = deps;
    this.#rows = new RefusalRows(workspace, deps.troubles);
    this.#hook = hook;
    this.#events = events;
    this.#seen = seen;
  }

  /** @param beforeBody called when the body may come, for a sender that waits to be told */
  handle(request: IncomingMessage, response: ServerResponse, beforeBody?: () => void): void {
    const { config, budget, counts } = this.#deps;
    const start = performance.now();
    counts.received += 1;
    const limits = { maxBytes: config.maxBodyBytes, budget };
    readRequest(
      request,
      limits,
      (result) => {
        if (result.kind === 'read') {
          const { body, budgeted } = result;
          this.#read.add({ request, response, body, budgeted, start });
          return;
        }
        if (result.kind === 'aborted') {
          counts.refuse('aborted');
          return;
        }
        this.#count(result.reason);
        refuseUnread(request, response, result.status, this.#headersOf(result.status));
      },
      beforeBody,
    );
  }

  #take(delivery: Delivery): void {
    const { config, gate, counts, troubles, now } = this.#deps;
    const { request, body } = delivery;
    const receivedAt = now();
    const hook = this.#hook;
    const verified = verify(readSignatureHeaders(request.rawHeaders), body, hook.secrets, receivedAt, hook);
    if (!verified.ok) {
      troubles.warn('deliveries are refused for their signature', { reason: verified.reason });
      this.#refuse(delivery, 401, `signature ${verified.reason}`);
      return;
    }
    gate.trust(request.socket);
    const event = parseEvent(body);
    const isOther = verified.eventType !== undefined && verified.eventType !== event?.type;
    if (event === undefined || isOther) {
      troubles.warn('well-signed deliveries are refused because they are no events');
      this.#refuse(delivery, 400, event === undefined ? 'no event' : 'event type');
      return;
    }
    if (event.type === RECEIVER_CHECK) {
      this.#answerCheck(delivery);
      return;
    }
    this.#rows.accepted();
    this.#seen.note(event.type, receivedAt);
    if (counts.inFlight >= config.caps.inFlight) {
      this.#events.missed();
      this.#refuse(delivery, 503, 'too many in flight');
      return;
    }
    counts.inFlight += 1;
    this.#deps.onEvent(this.#workspace);
    const { webhookId, generation } = verified;
    const told = { ...event, webhookId, idIsSigned: generation === 'standard', receivedAt };
    this.#events.take(told, (outcome) => {
      const age = OUTCOMES[outcome].acknowledged && outcome !== 'duplicate' ? ageAtEnd(told) : undefined;
      if (age !== undefined) this.#deps.observe.task(age / 1_000);
      this.#answer(delivery, outcome);
    });
  }

  /** `doctor` asks: it is told what has come. It is no sign that the API's own deliveries arrive. */
  #answerCheck(delivery: Delivery): void {
    const sent = parseJson(delivery.body.toString('utf8'));
    const nonce = isRecord(sent) && typeof sent['nonce'] === 'string' ? sent['nonce'] : '';
    const answer: ReceiverCheckAnswer = { nonce, events: this.#seen.report() };
    this.#end(delivery);
    delivery.response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }

  #answer(delivery: Delivery, outcome: Outcome): void {
    const { counts, acknowledgements, observe } = this.#deps;
    counts.inFlight -= 1;
    counts.settle(outcome);
    this.#end(delivery);
    if (OUTCOMES[outcome].acknowledged) {
      acknowledgements.add(delivery.response);
      observe.latency((performance.now() - delivery.start) / 1_000);
    } else {
      refuse(delivery.response, 503, this.#headersOf(503));
    }
  }

  #refuse(delivery: Delivery, status: 400 | 401 | 503, reason: RequestRefusal): void {
    this.#count(reason);
    this.#end(delivery);
    refuse(delivery.response, status, this.#headersOf(status));
  }

  #count(reason: RequestRefusal): void {
    this.#deps.counts.refuse(reason);
    this.#rows.refused(reason);
  }

  #end({ response, budgeted }: Delivery): void {
    this.#deps.budget.release(budgeted);
    // It may have been held since before the shutdown began.
    if (this.#deps.isDraining()) response.shouldKeepAlive = false;
  }

  #headersOf(status: number): Record<string, string> {
    if (status === 405) return { allow: 'POST' };
    return status === 503 ? { 'retry-after': String(this.#deps.config.retryAfter) } : {};
  }
}
