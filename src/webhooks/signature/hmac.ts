import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto';

/** SHA-256's block and digest, in bytes. */
const BLOCK = 64;
const DIGEST = 32;

/** Messages up to this size are hashed in one piece; deliveries are usually below 20 kB. */
const SCRATCH = 32 * 1024;
const scratch = Buffer.alloc(BLOCK + SCRATCH);

/**
 * HMAC-SHA256 under one key. Neither printing nor serializing it shows the key.
 *
 * Small messages take RFC 2104's two hashes as one-shot calls instead of an `Hmac` object: measured on Node 24
 * with 640 bytes, 0.9 µs instead of 1.5 µs, and no native object for the garbage collector to finalize.
 */
export class HmacSha256 {
  readonly #key: KeyObject;
  readonly #innerPad = Buffer.alloc(BLOCK);
  readonly #outer = Buffer.alloc(BLOCK + DIGEST);

  constructor(key: Uint8Array) {
    this.#key = createSecretKey(key);
    const block = Buffer.alloc(BLOCK);
    block.set(key.length > BLOCK ? hash('sha256', key, 'buffer') : key);
    for (let i = 0; i < BLOCK; i++) {
      this.#innerPad[i] = (block[i] ?? 0) ^ 0x36;
      this.#outer[i] = (block[i] ?? 0) ^ 0x5c;
    }
  }

  /** The HMAC of `prefix` (ASCII) followed by `body`, as text. */
  digest(prefix: string, body: Uint8Array, encoding: 'base64' | 'hex'): string {
    const start = BLOCK + prefix.length;
    const end = start + body.length;
    if (end > scratch.length) {
      return createHmac('sha256', this.#key).update(prefix, 'latin1').update(body).digest(encoding);
    }
    scratch.set(this.#innerPad);
    scratch.write(prefix, BLOCK, 'latin1');
    scratch.set(body, start);
    // As text of one character a byte: the raw digest without a Buffer of its own.
    this.#outer.write(hash('sha256', scratch.subarray(0, end), 'binary'), BLOCK, 'binary');
    return hash('sha256', this.#outer, encoding);
  }
}
