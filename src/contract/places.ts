import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';

/** Some of a batch's rows by their places among all, as JSON: hexadecimal, a bit for each row. */
export type PlacesInHex = string;

export function isPlaces(value: unknown): value is PlacesInHex {
  return typeof value === 'string' && value.length % 2 === 0 && /^[0-9a-f]*$/.test(value);
}

/** Some of a batch's rows, by their places among all. */
export class Places {
  #bits: Uint8Array;

  constructor(hex: PlacesInHex = '') {
    this.#bits = hexToBytes(hex);
  }

  has(place: number): boolean {
    return ((this.#bits[place >> 3] ?? 0) & (1 << (place & 7))) !== 0;
  }

  add(place: number): void {
    const at = place >> 3;
    if (at >= this.#bits.length) {
      const more = new Uint8Array(Math.max(at + 1, 2 * this.#bits.length));
      more.set(this.#bits);
      this.#bits = more;
    }
    this.#bits[at] = (this.#bits[at] ?? 0) | (1 << (place & 7));
  }

  toJSON(): PlacesInHex {
    const end = this.#bits.findLastIndex((byte) => byte !== 0) + 1;
    return bytesToHex(this.#bits.subarray(0, end));
  }
}
