import { type AddressInfo, connect, createServer } from 'node:net';

const HOST = '127.0.0.1';

/**
 * `preferred` if nothing listens there, else a port that is free now. 0 prefers none. Somebody else may still take
 * it before it is used: who uses it must be ready to try another.
 */
export async function freePort(preferred: number): Promise<number> {
  if (preferred !== 0 && !(await isListening(preferred))) {
    const port = await bind(preferred).catch(() => undefined);
    if (port !== undefined) return port;
  }
  return bind(0);
}

/** Asked first, because on macOS a bind to 127.0.0.1 succeeds beside a listener on all interfaces (Docker's). */
function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, HOST, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

function bind(port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(port, HOST, () => {
      // A listening TCP server's address is an AddressInfo (node:net).
      const bound = (server.address() as AddressInfo).port;
      server.close(() => resolve(bound));
    });
  });
}
