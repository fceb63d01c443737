import type { IncomingMessage } from 'node:http';
import ipaddr from 'ipaddr.js';

/** Who may use the control API and the dashboard, which have no key. */
export interface Access {
  /** Lets other machines in. */
  open: boolean;
  /** The emulator's own address, as its clients know it. */
  origin: string;
}

/**
 * Why a request to the control API or the dashboard is refused, if it is. They have no key, so they are for this
 * machine alone, and not for web pages that happen to be open here:
 *
 * - requests of other origins carry an `Origin` that is not this server's;
 * - a page whose own name was made to lead here (DNS rebinding) sends that name as its `Host`. So, also where other
 *   machines are let in, the host has to be a loopback one or the one of the emulator's own public URL.
 */
export function refuseAccess(request: IncomingMessage, { open, origin }: Access): string | undefined {
  const { host = '' } = request.headers;
  const from = request.headers.origin;
  if (from !== undefined && from !== `http://${host}` && from !== `https://${host}`) {
    return 'The control API is not for pages of other origins';
  }
  const name = hostname(`http://${host}`);
  if (!isLoopback(name) && !(open && name === hostname(origin))) {
    return `The control API is not for requests to the host ${host}: use localhost${open ? `, or set EMULATOR_PUBLIC_URL (now ${origin})` : ''}`;
  }
  if (open || isLoopback(request.socket.remoteAddress ?? '')) return undefined;
  return 'The dashboard and the control API are for this machine only; EMULATOR_OPEN_CONTROL=yes lets others in';
}

/** Without its port, as URLs write it: in lower case, addresses in their usual form. Empty where there is none. */
function hostname(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.replaceAll(/^\[|\]$/g, '') : '';
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback');
}
