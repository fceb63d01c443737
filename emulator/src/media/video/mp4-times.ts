/** Boxes that hold other boxes, on the way to those that hold times (ISO/IEC 14496-12). */
const CONTAINERS: ReadonlySet<string> = new Set(['moov', 'trak', 'mdia']);
const STAMPED: ReadonlySet<string> = new Set(['mvhd', 'tkhd', 'mdhd']);

/**
 * Sets the times of creation and modification in an MP4 to zero ("unknown"), in place: the muxer writes the
 * clock's, and then the same render would never give the same bytes twice.
 */
export function eraseTimes(bytes: Uint8Array): void {
  eraseIn(new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength), 0, bytes.byteLength);
}

function eraseIn(view: DataView, from: number, to: number): void {
  for (let at = from; at + 8 <= to; ) {
    const shortSize = view.getUint32(at);
    const headerSize = shortSize === 1 ? 16 : 8;
    const size = shortSize === 1 ? Number(view.getBigUint64(at + 8)) : shortSize === 0 ? to - at : shortSize;
    if (size < headerSize || at + size > to) return;
    const type = String.fromCharCode(...[4, 5, 6, 7].map((offset) => view.getUint8(at + offset)));
    if (CONTAINERS.has(type)) eraseIn(view, at + headerSize, at + size);
    if (STAMPED.has(type)) {
      const wide = view.getUint8(at + headerSize) === 1; // version 1 has times of 8 bytes
      for (let byte = 0; byte < (wide ? 16 : 8); byte += 1) view.setUint8(at + headerSize + 4 + byte, 0);
    }
    at += size;
  }
}
