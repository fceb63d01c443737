/** The scheme and the host of a target in absolute form; without a user's name, which has no place there. */
const SCHEME_AND_HOST = /^https?:\/\/[^/?#@]+(?=[/?]|$)/i;

/**
 * A request's target as path and query, which is how nearly all of them come. A server has to take the absolute form
 * too, `http://host/path` (RFC 9112, section 3.2.2); whatever the host, it is meant for us. Anything else stays as it
 * is, and is nobody's path.
 */
export function originForm(target: string): string {
  if (target.startsWith('/')) return target;
  const before = SCHEME_AND_HOST.exec(target)?.[0];
  if (before === undefined) return target;
  const rest = target.slice(before.length);
  return rest.startsWith('/') ? rest : `/${rest}`;
}
