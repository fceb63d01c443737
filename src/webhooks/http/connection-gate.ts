import type { Socket } from 'node:net';

/** A connection is not evicted before this many milliseconds. */
const GRACE = 2_000;
/** Connections above the cap that are let in only to be told so. */
const SURPLUS = 256;
/** How long one of those has to send its request, in milliseconds. */
const SURPLUS_LIFE = 2_000;

/**
 * Caps open connections so that honest senders get in even while others hold every place: above the cap the
 * longest-standing connection that never delivered anything well-signed makes room, once it had its two seconds.
 * Where there is none, the newcomer is let in only for being answered 503.
 */
export class ConnectionGate {
  /** Closed to make room. */
  evicted = 0;
  readonly #cap: number;
  /** In order of arrival, with the time of it. */
  readonly #unverified = new Map<Socket, number>();
  readonly #surplus = new Set<Socket>();
  #open = 0;

  constructor(cap: number) {
    this.#cap = cap;
  }

  /** For `server.maxConnections`: beyond this, connections are closed unseen. */
  get hardLimit(): number {
    return this.#cap + SURPLUS;
  }

  get open(): number {
    return this.#open;
  }

  /** Gives a new connection a place; where there is none, it is let in only to be told so. */
  admit(socket: Socket): void {
    const now = performance.now();
    if (this.#open - this.#surplus.size < this.#cap || this.#evict(now)) {
      this.#unverified.set(socket, now);
    } else {
      this.#surplus.add(socket);
      setTimeout(() => socket.destroy(), SURPLUS_LIFE).unref();
    }
    this.#open += 1;
    socket.once('close', () => {
      this.#open -= 1;
      this.#unverified.delete(socket);
      this.#surplus.delete(socket);
    });
  }

  isSurplus(socket: Socket): boolean {
    return this.#surplus.size > 0 && this.#surplus.has(socket);
  }

  /** The connection has delivered something well-signed. */
  trust(socket: Socket): void {
    this.#unverified.delete(socket);
  }

  /** Closes the connections that have not sent anything yet: to Node they are not idle. */
  closeSilent(): void {
    for (const socket of this.#unverified.keys()) if (socket.bytesRead === 0) socket.destroy();
  }

  /** Closes the longest-standing unverified connection. @returns whether there was one */
  #evict(now: number): boolean {
    for (const [socket, since] of this.#unverified) {
      if (socket.destroyed) continue;
      if (now - since < GRACE) return false;
      socket.destroy();
      this.#unverified.delete(socket);
      this.evicted += 1;
      return true;
    }
    return false;
  }
}
