import type { Mistake } from '../api/input/mistakes.ts';

/** What is said of a run that has ended: the body of the POST. */
export interface CallbackWord {
  type: `${'generation' | 'pipeline' | 'batch'}.${'completed' | 'failed'}`;
  workflowId: string;
  runId: string;
  /** `COMPLETED`, `FAILED` or `CANCELLED`; `PARTIAL` where a part of a pipeline or of a batch has failed. */
  status: string;
}

/** The one argument of the workflow `callback`. */
export interface CallbackRequest {
  url: string;
  word: CallbackWord;
}

/** Where the worker may call, and whether it can sign what it says. */
export interface CallbackRules {
  /** URLs that a callback's has to lie below. */
  prefixes: readonly string[];
  isSigned: boolean;
}

/** Characters of a URL. */
const LONGEST = 2_048;

/**
 * What is wrong with a request's `callback`.
 *
 * @param rules undefined where the worker's are not known
 */
export function checkCallback(callback: unknown, rules: CallbackRules | undefined): Mistake[] {
  if (callback === undefined) return [];
  const path = 'callback';
  const url = typeof callback === 'string' && callback.length <= LONGEST ? callbackUrl(callback) : undefined;
  if (url === undefined)
    return [
      { path, message: 'must be an http(s) URL without a user name, like https://hooks.example.com/done' },
    ];
  if (rules === undefined) return [];
  if (!rules.prefixes.some((prefix) => liesBelow(url, prefix)))
    return [
      {
        path,
        message:
          'is below none of the callbacks in the worker\'s DARKROOM_CONFIG: { "callbacks": ["https://hooks.example.com/"] }',
      },
    ];
  return rules.isSigned
    ? []
    : [{ path, message: 'cannot be signed: set DARKROOM_CALLBACK_SECRET on the worker' }];
}

/** Undefined for what no callback can go to. */
export function callbackUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  const isPlain =
    url !== null && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  return isPlain ? url : undefined;
}

/** By origin, and by whole names of the path: `https://a.example/done` has `/done/1` below it, and not `/donesoon`. */
function liesBelow(url: URL, prefix: string): boolean {
  const above = callbackUrl(prefix);
  if (above === undefined || above.origin !== url.origin) return false;
  const folder = above.pathname.endsWith('/') ? above.pathname : `${above.pathname}/`;
  return url.pathname === above.pathname || url.pathname.startsWith(folder);
}
