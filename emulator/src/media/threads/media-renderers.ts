import type { RendererName, Renderers } from '../renderers.ts';
import type { RenderedAsset } from '../types.ts';
import { MediaWorkers } from './media-workers.ts';
import { RenderCache, renderKey } from './render-cache.ts';

/** The renderers of `renderers.ts`, by the same names, in worker threads and cached. */
export interface MediaRenderers extends Renderers {
  /** Stops the worker threads; renders that are under way reject. */
  close(): Promise<void>;
}

export interface MediaRenderersOptions {
  /** Worker threads at most; they start when they are needed. */
  threads?: number;
  /** Bytes of finished renders to keep. */
  cacheBytes?: number;
}

/**
 * What the emulator renders with. A call returns what the function of the same name returns or throws what it
 * throws; the work is done in a worker thread, once for equal requests.
 */
export function createMediaRenderers({
  threads = 2,
  cacheBytes = 256 * 1024 * 1024,
}: MediaRenderersOptions = {}): MediaRenderers {
  const workers = new MediaWorkers(threads);
  const cache = new RenderCache<RenderedAsset>(cacheBytes);

  function threaded<Name extends RendererName>(renderer: Name): Renderers[Name] {
    const render = (request: Parameters<Renderers[Name]>[0]) =>
      cache.get(renderKey(renderer, request), async () => {
        return (await workers.run({ renderer, request })) as RenderedAsset; // what that renderer returned, cloned
      });
    return render as Renderers[Name]; // same request, same promise; TypeScript cannot follow the name through
  }

  return {
    renderImage: threaded('renderImage'),
    renderUpscale: threaded('renderUpscale'),
    renderFaceSwap: threaded('renderFaceSwap'),
    renderVideo: threaded('renderVideo'),
    renderLipSync: threaded('renderLipSync'),
    renderVideoEdit: threaded('renderVideoEdit'),
    renderSpeech: threaded('renderSpeech'),
    close: () => workers.close(),
  };
}
