import { connect } from 'node:net';

export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  status: number;
  head: string;
  body: string;
  /** Whether the server closed the connection; else the answer was complete and we did. */
  closed: boolean;
}

/** Sends bytes as they are and reads until the first answer is complete or the server closes. */
export function sendRaw(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let received = '';
    const end = (closed: boolean): void => {
      socket.destroy();
      const [head = '', body = ''] = received.split('\r\n\r\n', 2);
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(head)?.[1] ?? 0), head, body, closed });
    };
    socket.on('connect', () => {
      for (const part of Array.isArray(bytes) ? bytes : [bytes as string | Buffer]) socket.write(part); // not a list
    });
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      const interim = /^HTTP\/1\.1 1\d\d [^\r]*\r\n\r\n/.exec(received);
      if (interim !== null) received = received.slice(interim[0].length);
      const length = /\r\ncontent-length: (\d+)\r\n/i.exec(received)?.[1] ?? '0';
      const bodyAt = received.indexOf('\r\n\r\n') + 4;
      if (bodyAt >= 4 && received.length - bodyAt >= Number(length)) end(false);
    });
    socket.on('close', () => end(true));
    socket.on('error', () => end(true));
  });
}

/** A POST as text: head and body. */
export function post(headers: Record<string, string>, body: Buffer | string, path = '/webhooks'): Buffer {
  const bytes = Buffer.from(body);
  const lines = Object.entries({
    Host: 'localhost',
    'Content-Type': 'application/json',
    'Content-Length': String(bytes.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes]);
}
