import { connect, type Socket } from 'node:net';

/**
 * Sends requests over keep-alive connections, one at a time on each, and waits for all answers.
 *
 * @param requests whole requests, head and body
 * @returns seconds that it took
 * @throws when an answer is not a 204 or a connection breaks
 */
export async function sendAll(
  port: number,
  requests: readonly Buffer[],
  connections: number,
): Promise<number> {
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  const start = performance.now();
  let next = 0;
  try {
    await Promise.all(sockets.map((socket) => drive(socket, () => requests[next++])));
  } finally {
    for (const socket of sockets) socket.destroy();
  }
  return (performance.now() - start) / 1_000;
}

function open(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}

/** An answer without body always comes in one piece here. */
function drive(socket: Socket, next: () => Buffer | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const send = (): void => {
      const request = next();
      if (request === undefined) resolve();
      else socket.write(request);
    };
    socket.on('data', (answer) => {
      if (answer.toString('latin1', 9, 12) === '204') send();
      else reject(new Error(`answered ${answer.toString('latin1', 0, 40)}`));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('the server closed the connection')));
    send();
  });
}
