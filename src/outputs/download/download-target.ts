import ipaddr from 'ipaddr.js';
import { MAX_URL } from '../limits.ts';
import { OutputRefused } from '../output-errors.ts';
import { isDataUri, shownDataUri } from './data-uri.ts';

/**
 * Checks a URL before anything is sent to it: http or https, no user or password, and where the host is an IP
 * literal, an address that is allowed. undici's `connect.lookup` never sees a literal (measured), so it has to be
 * caught here; names are checked by `guardedLookup`. The URL parser has turned forms like `0x7f.1` or
 * `2130706433` into plain addresses.
 *
 * @throws OutputRefused
 */
export function checkTarget(text: string, base: URL | undefined, allowed: (address: string) => boolean): URL {
  if (text.length > MAX_URL) throw new OutputRefused(`the output has a URL of over ${MAX_URL} characters`);
  const url = base === undefined ? URL.parse(text) : URL.parse(text, base.href);
  if (url === null) throw new OutputRefused('the output has an unreadable URL');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new OutputRefused(`the output's URL is ${url.protocol} and not http or https`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OutputRefused(`the output's URL at ${url.host} holds a user name or password`);
  }
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (ipaddr.isValid(host) && !allowed(host)) {
    throw new OutputRefused(
      `the output's host ${host} is not a public address; DARKROOM_PRIVATE_OUTPUTS=allow permits it`,
    );
  }
  return url;
}

/** The longest part of a URL that is shown. */
const SHOWN = 300;

/** A URL fit for messages: host and path, without its query, where signed URLs keep their secret, and user or password. */
export function shownUrl(given: URL | string): string {
  const text = String(given);
  if (isDataUri(text)) return shownDataUri(text);
  const url = URL.parse(text);
  return url === null ? '' : `${url.protocol}//${url.host}${url.pathname}`.slice(0, SHOWN);
}
