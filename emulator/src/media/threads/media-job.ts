import type { RendererName } from '../renderers.ts';

/** What a worker thread is told: a renderer and its request, matched by the sender. */
export interface MediaJob {
  renderer: RendererName;
  request: unknown;
}

/** What it answers. Errors lose their class between threads, so they travel by name. */
export type MediaReply =
  | { asset: object }
  | { failure: { name: string; message: string; stack: string | undefined } };
