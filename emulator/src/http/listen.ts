import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The address cannot be used; the message says what to do. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/**
 * @returns the port that it listens on
 * @throws ListenError when the port is taken or the address is not this machine's
 */
export async function listen(server: Server, port: number, host: string): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(explained(error, port, host)));
    server.listen(port, host, resolve);
  });
  return (server.address() as AddressInfo).port; // a TCP server's address after `listen` is no string
}

function explained(error: NodeJS.ErrnoException, port: number, host: string): ListenError {
  const reasons: Record<string, string> = {
    EADDRINUSE: `Port ${port} is taken. Set EMULATOR_PORT to a free one (0 picks one), e.g. EMULATOR_PORT=4011`,
    EACCES: `Port ${port} may not be used by this user. Set EMULATOR_PORT to one above 1023, e.g. EMULATOR_PORT=4010`,
    EADDRNOTAVAIL: `${host} is not an address of this machine. Set EMULATOR_HOST to one, e.g. EMULATOR_HOST=127.0.0.1`,
    ENOTFOUND: `${host} is not a known host. Set EMULATOR_HOST to an address, e.g. EMULATOR_HOST=127.0.0.1`,
  };
  return new ListenError(reasons[error.code ?? ''] ?? error.message, { cause: error });
}
