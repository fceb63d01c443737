import type { Dispatcher } from 'undici';
import { Pieces } from './pieces.ts';

/** What comes with at least so many bytes goes on as it is. */
const LARGE = 4_096;

/**
 * Hands a body on in pieces of a sensible size: what came with one read of the connection is one piece, however many
 * chunks its sender has made of it. undici bounds what waits to be read by its bytes, not by the number of its pieces.
 */
export const gatherPieces: Dispatcher.DispatcherComposeInterceptor = (dispatch) => (options, handler) =>
  dispatch(options, new Gathering(handler));

class Gathering implements Dispatcher.DispatchHandler {
  readonly #handler: Dispatcher.DispatchHandler;
  readonly #pieces = new Pieces();

  constructor(handler: Dispatcher.DispatchHandler) {
    this.#handler = handler;
  }

  onRequestStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onRequestStart']>>): void {
    this.#handler.onRequestStart?.(...args);
  }

  onResponseStart(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseStart']>>): void {
    this.#handler.onResponseStart?.(...args);
  }

  onResponseData(controller: Dispatcher.DispatchController, piece: Buffer): void {
    if (this.#pieces.size === 0) {
      if (piece.byteLength >= LARGE) {
        this.#handler.onResponseData?.(controller, piece);
        return;
      }
      queueMicrotask(() => this.#handOn(controller));
    }
    this.#pieces.add(piece);
  }

  onResponseEnd(
    ...[controller, trailers]: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseEnd']>>
  ): void {
    this.#handOn(controller);
    this.#handler.onResponseEnd?.(controller, trailers);
  }

  onResponseError(...args: Parameters<NonNullable<Dispatcher.DispatchHandler['onResponseError']>>): void {
    this.#pieces.take();
    this.#handler.onResponseError?.(...args);
  }

  #handOn(controller: Dispatcher.DispatchController): void {
    if (this.#pieces.size > 0) this.#handler.onResponseData?.(controller, this.#pieces.take());
  }
}
