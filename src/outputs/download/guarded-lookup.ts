import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { OutputRefused } from '../output-errors.ts';

/** Resolves a name to all its addresses. */
export type ResolveAll = (
  hostname: string,
  options: LookupOptions & { all: true },
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/**
 * A `lookup` for sockets that fails with OutputRefused when a name leads to an address that is not allowed, be it
 * one of several. The socket connects to the very addresses that were checked here, so a name that answers
 * differently the next time (DNS rebinding) gains nothing.
 */
export function guardedLookup(
  allowed: (address: string) => boolean,
  resolve: ResolveAll = systemLookup,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0);
        return;
      }
      const refused = addresses.find(({ address }) => !allowed(address));
      const [first] = addresses;
      if (refused !== undefined) {
        callback(
          new OutputRefused(
            `the output's host ${hostname} resolves to ${refused.address}, which is not a public address; DARKROOM_PRIVATE_OUTPUTS=allow permits it`,
          ),
          '',
          0,
        );
      } else if (first === undefined) {
        callback(Object.assign(new Error(`${hostname} has no address`), { code: 'ENOTFOUND' }), '', 0);
      } else if (options.all === true) {
        callback(null, addresses);
      } else {
        callback(null, first.address, first.family);
      }
    });
  };
}
