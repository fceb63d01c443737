import type { IncomingMessage, ServerResponse } from 'node:http';

/** A refused body is taken off the wire so that the sender gets to read the answer: up to this much of it … */
const LINGER_BYTES = 16 * 1024 * 1024;
/** … and for this many milliseconds. */
const LINGER_TIME = 3_000;

export function acknowledge(response: ServerResponse): void {
  response.writeHead(204).end();
}

/** A refusal tells nothing but its status. */
export function refuse(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, { ...headers, 'content-length': '0' });
  response.end();
}

/**
 * Refuses a request whose body is still on its way. The answer goes out at once and the connection is closed,
 * but not before the sender had a chance to finish: closing with unread bytes would reset the connection and
 * take the answer along.
 */
export function refuseUnread(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string> = {},
): void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  if (request.complete || (Number(length) === 0 && encoding === undefined)) {
    refuse(response, status, headers);
    return;
  }
  response.writeHead(status, { ...headers, 'content-length': '0', connection: 'close' });
  response.flushHeaders();
  const end = (): void => {
    clearTimeout(timer);
    response.end();
  };
  const timer = setTimeout(end, LINGER_TIME);
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > LINGER_BYTES) end();
  });
  request.on('end', end);
  request.on('close', end);
}
