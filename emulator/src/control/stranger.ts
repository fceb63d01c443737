import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

const ONLY_HERE =
  'The dashboard and the control API are for this machine only; EMULATOR_OPEN_CONTROL=yes lets others in';

/**
 * Why a request to the control API is refused, if it is. It has no key, so it is for this machine alone, and not
 * for web pages of other origins that happen to be open here: their requests carry an `Origin` that is not this
 * server's, and with a rebound name a `Host` that is no loopback one.
 *
 * @param open lets other machines in
 */
export function refuseStranger(request: IncomingMessage, open: boolean): string | undefined {
  const { host = '', origin } = request.headers;
  if (origin !== undefined && origin !== `http://${host}` && origin !== `https://${host}`) {
    return 'The control API is not for pages of other origins';
  }
  if (open) return undefined;
  if (!isLoopback(request.socket.remoteAddress ?? '')) return ONLY_HERE;
  const name = host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
  if (name !== 'localhost' && !isLoopback(name)) return ONLY_HERE;
  return undefined;
}

function isLoopback(address: string): boolean {
  return ipaddr.isValid(address) && ipaddr.process(address).range() === 'loopback';
}
