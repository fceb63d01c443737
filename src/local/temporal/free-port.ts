import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/**
 * `preferred` if nothing listens there, else a port that is free now. 0 prefers none. Somebody else may still take
 * it before it is used: who uses it must be ready to try another.
 */
export async function freePort(preferred: number): Promise<number> {
  const taken = preferred === 0 || (await isListening(preferred));
  return await bind(taken ? 0 : preferred).catch(() => bind(0));
}

/** Asked first, because on macOS a bind to 127.0.0.1 succeeds beside a listener on all interfaces (Docker's). */
async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, HOST);
  const answered = await once(socket, 'connect').catch(() => undefined);
  socket.destroy();
  return answered !== undefined;
}

async function bind(port: number): Promise<number> {
  const server = createServer().listen(port, HOST);
  await once(server, 'listening');
  const bound = (server.address() as AddressInfo).port; // a listening TCP server's address is an AddressInfo (node:net)
  server.close();
  await once(server, 'close');
  return bound;
}
