import { hash } from 'node:crypto';
import { extname } from 'node:path';
import { LRUCache } from 'lru-cache';
// Loaded in the main thread first: sharp's native library must outlive every worker thread that uses it.
import 'sharp';
import { Tinypool } from 'tinypool';
import { canonicalJson } from '../../../../src/api/json/canonical-json.ts';
import { RENDERERS, type RendererName, type Renderers } from '../renderers.ts';
import type { RenderedAsset } from '../types.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';
import type { Rendered } from './media-worker.ts';

/** The renderers of `renderers.ts`, by the same names, in worker threads and cached. */
export interface MediaRenderers extends Renderers {
  /** Stops the worker threads; renders that are under way reject. */
  close(): Promise<void>;
}

/**
 * What the emulator renders with. A call returns what the function of the same name returns or throws what it
 * throws (an UnreadableMediaError or a RangeError with its class); the work is done in a worker thread, once for
 * equal requests. Threads start when they are needed and keep no process alive while they are idle.
 *
 * @param options `threads` at most, `cacheBytes` of finished renders to keep
 */
export function createMediaRenderers({
  threads = 2,
  cacheBytes = 256 * 1024 * 1024,
}: {
  threads?: number;
  cacheBytes?: number;
} = {}): MediaRenderers {
  const pool = new Tinypool({
    // In the published package this and the thread's file are .js, in a clone .ts.
    filename: new URL(`media-worker${extname(import.meta.url)}`, import.meta.url).href,
    minThreads: 0,
    maxThreads: threads,
    idleTimeout: 60_000,
    // Without this process's own flags: the file needs none, and `--input-type` would even stop it.
    execArgv: [],
  });
  const cache = new LRUCache<string, RenderedAsset, () => Promise<RenderedAsset>>({
    maxSize: cacheBytes,
    sizeCalculation: ({ bytes }) => bytes.byteLength,
    fetchMethod: async (_key, _stale, { context }) => context(),
  });

  let closed = false;
  async function run(renderer: RendererName, request: unknown): Promise<RenderedAsset> {
    // The pool itself would start another thread.
    if (closed) throw new Error('The media renderers are closed');
    const rendered = (await pool.run({ renderer, request })) as Rendered; // what media-worker.ts gives
    if ('unreadable' in rendered) throw new UnreadableMediaError(rendered.unreadable);
    return rendered.asset as RenderedAsset; // what that renderer returned, cloned
  }

  const threaded = Object.keys(RENDERERS).map((name) => {
    const renderer = name as RendererName; // the table's own keys
    const render = (request: unknown): Promise<RenderedAsset> =>
      cache.forceFetch(renderKey(renderer, request), { context: () => run(renderer, request) });
    return [renderer, render];
  });
  const close = async (): Promise<void> => {
    closed = true;
    await pool.destroy();
  };
  return { ...Object.fromEntries(threaded), close } as MediaRenderers; // the same names, requests and assets
}

/** Equal for equal requests whatever the order of their fields; files count by their content. */
function renderKey(renderer: RendererName, request: unknown): string {
  return hash('sha256', `${renderer}\n${canonicalJson(request, byContent)}`, 'hex');
}

function byContent(value: unknown): unknown {
  return value instanceof Uint8Array ? hash('sha256', value, 'hex') : value;
}
