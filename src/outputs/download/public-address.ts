import ipaddr from 'ipaddr.js';

/** The only part of IPv6 that is given out to the public; the rest is reserved, local or translated. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Whether an IP address is one of the public internet: no private, loopback, link-local, carrier-grade NAT,
 * multicast, unspecified, documentation or reserved range, and no IPv6 form that stands for an IPv4 address
 * (mapped, NAT64, 6to4, Teredo), because what it really leads to depends on the network. Text that is no IP address
 * is not public.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}
