import { RENDERERS, type RendererName } from '../renderers.ts';
import { UnreadableMediaError } from '../unreadable-media-error.ts';

/** What a renderer made, or why its input cannot be read: between threads an error of our own loses its class. */
export type Rendered = { asset: object } | { unreadable: string };

/** The inside of a worker thread. */
export default async function render(job: { renderer: RendererName; request: unknown }): Promise<Rendered> {
  // Which request goes with which renderer is checked where the job is made; across threads the pair is plain data.
  const renderer = RENDERERS[job.renderer] as (request: unknown) => Promise<object>;
  try {
    return { asset: await renderer(job.request) };
  } catch (error) {
    if (error instanceof UnreadableMediaError) return { unreadable: error.message };
    throw error;
  }
}
