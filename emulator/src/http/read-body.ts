import type { IncomingMessage } from 'node:http';

/** What became of reading a body: its bytes, or why there are none. */
export type Body = { kind: 'read'; bytes: Buffer } | { kind: 'too-large' } | { kind: 'aborted' };

/** Reads a request's body. One that is larger than `maxBytes` is read on but not kept. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Body> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => {
      if (size > maxBytes) resolve({ kind: 'too-large' });
      else
        resolve({
          kind: 'read',
          bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
        });
    });
    request.on('error', () => resolve({ kind: 'aborted' }));
    request.on('close', () => resolve({ kind: 'aborted' })); // after `end` this changes nothing
  });
}
