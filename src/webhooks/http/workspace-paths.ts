const BASE = '/webhooks';
const DEFAULT_WORKSPACE = 'default';

/**
 * Finds what belongs to a request's path: `/webhooks/<workspace>`, or `/webhooks` for the default workspace. A
 * query string is ignored. A workspace's name is compared after percent-decoding it once, and only its plain
 * encoding counts: `/webhooks/d%65fault` is nobody's path.
 */
export class WorkspacePaths<T> {
  readonly #byPath = new Map<string, T>();

  constructor(workspaces: Iterable<readonly [name: string, value: T]>) {
    for (const [name, value] of workspaces) {
      this.#byPath.set(`${BASE}/${encodeURIComponent(name)}`, value);
      if (name === DEFAULT_WORKSPACE) this.#byPath.set(BASE, value);
    }
  }

  find(url: string): T | undefined {
    return this.#byPath.get(url) ?? (/[%?]/.test(url) ? this.#byPath.get(canonicalPath(url)) : undefined);
  }
}

/** Without query, and with percent-encodings written in capitals, as `encodeURIComponent` writes them. */
function canonicalPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  return path.replace(/%[0-9a-f]{2}/gi, (code) => code.toUpperCase());
}
