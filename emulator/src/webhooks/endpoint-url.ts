import ipaddr from 'ipaddr.js';
import { z } from 'zod';

/** Where clouds keep a machine's own credentials, beside the link-local addresses that most of them use. */
const METADATA: ReadonlySet<string> = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'metadata.azure.internal',
  'metadata.tencentyun.com',
  'instance-data',
  'instance-data.ec2.internal',
  '100.100.100.200', // Alibaba
  '192.0.0.192', // Oracle
  'fd00:ec2::254', // AWS
]);

/**
 * Where a webhook endpoint may be: any http(s) URL, also on this machine, but none at a link-local address or a
 * cloud's metadata service. What such a place answers would be shown with the delivery's attempts.
 */
export const endpointUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http(s) URL' })
  .refine(isAllowed, 'must not be at a link-local address or a cloud metadata service');

function isAllowed(url: string): boolean {
  if (!URL.canParse(url)) return true; // said already
  const host = new URL(url).hostname.replaceAll(/[[\]]|\.$/g, '');
  if (METADATA.has(host)) return false;
  return !ipaddr.isValid(host) || ipaddr.process(host).range() !== 'linkLocal';
}
