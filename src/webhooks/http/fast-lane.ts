import type { Socket } from 'node:net';
import type { ReceiverCounts } from '../metrics.ts';
import type { ReceiverConfig } from '../receiver-config.ts';
import { AnswerTexts } from './answer-texts.ts';
import type { DeliveryHandler, WorkspaceEntry } from './delivery-handler.ts';
import { readPlainRequest } from './plain-request.ts';
import type { Acknowledgements, Reply } from './reply.ts';
import type { WorkspacePaths } from './workspace-paths.ts';

export interface FastLaneDeps {
  config: Pick<ReceiverConfig, 'maxBodyBytes' | 'timeouts'>;
  maxHeadBytes: number;
  workspaces: WorkspacePaths<WorkspaceEntry>;
  handler: DeliveryHandler;
  counts: ReceiverCounts;
  acknowledgements: Acknowledgements;
  /** Gives a connection to node:http, which reads on from what was put back. */
  handOver: (socket: Socket) => void;
}

/**
 * Serves connections whose requests each come as one piece and are as plain as can be, which is what senders of
 * webhooks send, without the machinery of node:http: that costs as much as all we do about a delivery. At the
 * first bytes that are anything else, the connection goes to node:http for good, bytes and all. So this lane
 * only ever answers requests about whose meaning no two HTTP parsers disagree.
 */
export class FastLane {
  readonly #deps: FastLaneDeps;
  readonly #texts: AnswerTexts;
  readonly #open = new Set<LaneConnection>();
  #isDraining = false;

  constructor(deps: FastLaneDeps) {
    this.#deps = deps;
    this.#texts = new AnswerTexts(deps.config.timeouts.keepAlive);
  }

  take(socket: Socket): void {
    const connection = new LaneConnection(socket, this.#deps, this.#texts, {
      isDraining: () => this.#isDraining,
      onLeft: () => this.#open.delete(connection),
    });
    this.#open.add(connection);
  }

  /** Closes idle connections now and the others with their answers. */
  drain(): void {
    this.#isDraining = true;
    for (const connection of this.#open) connection.closeIfIdle();
  }

  destroyAll(): void {
    for (const connection of this.#open) connection.destroy();
  }
}

/** One connection in the lane, and the reply to its request: there is one at a time. */
class LaneConnection implements Reply {
  readonly #socket: Socket;
  readonly #deps: FastLaneDeps;
  readonly #texts: AnswerTexts;
  readonly #lane: { isDraining: () => boolean; onLeft: () => void };
  /** Whether a request is being handled. */
  #isBusy = false;
  #hadRequest = false;
  /** Whether the sender has closed its side. */
  #isEnding = false;
  /** What came while a request was being handled. */
  #early: Buffer[] = [];
  /** The latest request's path, with what is there: a connection hardly ever has two. */
  #path = '';
  #entry: WorkspaceEntry | undefined;

  constructor(
    socket: Socket,
    deps: FastLaneDeps,
    texts: AnswerTexts,
    lane: { isDraining: () => boolean; onLeft: () => void },
  ) {
    this.#socket = socket;
    this.#deps = deps;
    this.#texts = texts;
    this.#lane = lane;
    socket.setTimeout(deps.config.timeouts.headers);
    socket.on('data', this.#onData);
    socket.on('timeout', this.#onTimeout);
    socket.on('error', this.#onError);
    socket.on('end', this.#onEnd);
    socket.on('close', this.#onClose);
  }

  acknowledge(): void {
    this.#deps.acknowledgements.add(this.#writeAcknowledgement);
  }

  refuse(status: number, retryAfter?: number): void {
    const closes = this.#closesNow();
    this.#write(this.#texts.refusal(status, closes, retryAfter), closes);
  }

  closeIfIdle(): void {
    if (!this.#isBusy) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  readonly #onData = (bytes: Buffer): void => {
    if (this.#isBusy) {
      // The next request before this one's answer: it waits, and then it is node:http's.
      this.#socket.pause();
      this.#early.push(bytes);
      return;
    }
    const { handler, counts, config, maxHeadBytes } = this.#deps;
    const start = performance.now();
    const request = readPlainRequest(bytes, maxHeadBytes);
    const entry = request === undefined ? undefined : this.#find(request.path);
    if (request === undefined || entry === undefined || request.body.length > config.maxBodyBytes) {
      this.#leave(bytes);
      return;
    }
    this.#isBusy = true;
    if (!this.#hadRequest) {
      this.#hadRequest = true;
      this.#socket.setTimeout(config.timeouts.keepAlive);
    }
    counts.received += 1;
    const { signatureHeaders, body } = request;
    handler.handle(entry, { signatureHeaders, body, socket: this.#socket, start }, this);
  };

  #find(path: string): WorkspaceEntry | undefined {
    if (path !== this.#path) {
      this.#path = path;
      this.#entry = this.#deps.workspaces.find(path);
    }
    return this.#entry;
  }

  readonly #writeAcknowledgement = (): void => {
    const closes = this.#closesNow();
    this.#write(this.#texts.acknowledgement(closes), closes);
  };

  #closesNow(): boolean {
    return this.#isEnding || this.#lane.isDraining();
  }

  #write(answer: string, closes: boolean): void {
    if (this.#socket.destroyed) return;
    this.#socket.write(answer, 'latin1');
    this.#isBusy = false;
    if (closes) this.#socket.destroySoon();
    else if (this.#early.length > 0) this.#leave(Buffer.concat(this.#early));
  }

  /** Puts bytes back where they came from and gives the connection away. */
  #leave(bytes: Buffer): void {
    const socket = this.#socket;
    socket.off('data', this.#onData);
    socket.off('timeout', this.#onTimeout);
    socket.off('error', this.#onError);
    socket.off('end', this.#onEnd);
    socket.off('close', this.#onClose);
    socket.setTimeout(0);
    this.#lane.onLeft();
    socket.pause();
    socket.unshift(bytes);
    this.#deps.handOver(socket);
    socket.resume();
  }

  readonly #onTimeout = (): void => {
    if (this.#isBusy || this.#hadRequest) {
      this.closeIfIdle();
      return;
    }
    this.#deps.counts.refuse('timeout');
    this.#isEnding = true;
    this.refuse(408);
  };
  readonly #onError = (): void => this.destroy();
  readonly #onEnd = (): void => {
    this.#isEnding = true;
    this.closeIfIdle();
  };
  readonly #onClose = (): void => this.#lane.onLeft();
}
