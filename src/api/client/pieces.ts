/** What a buffer for further pieces has at least, in bytes. */
const LEAST = 4_096;

/**
 * The pieces of a body in one buffer. A list of pieces as they came would take as much memory as their sender likes:
 * one byte in a chunk of its own takes a hundred times its size.
 */
export class Pieces {
  #bytes: Uint8Array = new Uint8Array();
  #size = 0;
  readonly #most: number;

  /** @param most how many bytes come at most; memory for more is never taken */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /** Bytes that have come. */
  get size(): number {
    return this.#size;
  }

  /** Bytes of memory that they take. */
  get capacity(): number {
    return this.#bytes.byteLength;
  }

  /** The first piece is kept as it is, without room for more, because most bodies are one; all others are copied. */
  add(piece: Uint8Array): void {
    const size = this.#size + piece.byteLength;
    if (this.#size === 0) this.#bytes = piece;
    else {
      if (size > this.#bytes.byteLength)
        this.#grow(Math.max(size, Math.min(this.#most, Math.max(LEAST, 2 * size))));
      this.#bytes.set(piece, this.#size);
    }
    this.#size = size;
  }

  /** All that has come since the last time. */
  take(): Buffer {
    const { buffer, byteOffset } = this.#bytes;
    const whole = Buffer.from(buffer, byteOffset, this.#size);
    this.#bytes = new Uint8Array();
    this.#size = 0;
    return whole;
  }

  #grow(capacity: number): void {
    const larger = Buffer.allocUnsafeSlow(capacity);
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#bytes = larger;
  }
}
