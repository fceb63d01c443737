import { freePort } from '../src/local/temporal/free-port.ts';

/** Below the ports that systems give to outgoing connections (from 32,768 on Linux, from 49,152 elsewhere). */
let last = 20_000 + (process.pid % 1_000) * 10;

/** A port for a server that comes later, or that is away for a while: no outgoing connection gets it by chance. */
export async function lastingPort(): Promise<number> {
  last += 1;
  return await freePort(last);
}
