import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its bytes, or why there are none. */
type Body = { kind: 'read'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'aborted' };

/** Reads a request's body. Of one that is larger than `maxBytes` the rest is read but not kept. */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    // Without an encoding a request's pieces are buffers.
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
    }
  } catch {
    return { kind: 'aborted' }; // the caller went away
  }
  return size > maxBytes ? { kind: 'too-large' } : { kind: 'read', bytes: Buffer.concat(chunks) };
}
