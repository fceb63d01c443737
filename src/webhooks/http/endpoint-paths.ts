import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';

const BASE = '/webhooks';

/**
 * Finds the endpoint that a request's target names: `/webhooks/<workspace>`, or `/webhooks` for the default
 * workspace. A query string is ignored. A workspace's name is compared after percent-decoding it once, and only its
 * plain encoding counts: `/webhooks/d%65fault` is nobody's path.
 */
export class EndpointPaths<Endpoint> {
  readonly #byPath = new Map<string, Endpoint>();

  constructor(endpoints: Iterable<readonly [workspace: string, endpoint: Endpoint]>) {
    for (const [workspace, endpoint] of endpoints) {
      this.#byPath.set(`${BASE}/${encodeURIComponent(workspace)}`, endpoint);
      if (workspace === DEFAULT_WORKSPACE) this.#byPath.set(BASE, endpoint);
    }
  }

  find(target: string): Endpoint | undefined {
    return this.#byPath.get(target) ?? this.#byPath.get(canonical(pathOf(target)));
  }
}

/** The scheme and the host of a target in absolute form; without a user's name, which has no place there. */
const SCHEME_AND_HOST = /^https?:\/\/[^/?#@]+(?=[/?]|$)/i;

/**
 * A request target's path, without its query. A server has to take the absolute form too, `http://host/path`
 * (RFC 9112, section 3.2.2); whatever the host, it is meant for us. Anything else stays as it is, and is nobody's
 * path. `URL` is no help here: it would make one path of two, `/webhooks/../webhooks`.
 */
export function pathOf(target: string): string {
  const before = target.startsWith('/') ? '' : (SCHEME_AND_HOST.exec(target)?.[0] ?? '');
  const [path = ''] = target.slice(before.length).split('?', 1);
  return path === '' ? '/' : path;
}

/** With percent-encodings in capitals, as `encodeURIComponent` writes them. */
function canonical(path: string): string {
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}
