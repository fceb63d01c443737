import { renderFaceSwap } from './render-face-swap.ts';
import { renderImage } from './render-image.ts';
import { renderLipSync } from './render-lip-sync.ts';
import { renderSpeech } from './render-speech.ts';
import { renderUpscale } from './render-upscale.ts';
import { renderVideo } from './render-video.ts';
import { renderVideoEdit } from './render-video-edit.ts';
import type { RenderedAsset } from './types.ts';

/** Every renderer by name: what a worker thread can be told to do. */
export const RENDERERS = {
  renderImage,
  renderUpscale,
  renderFaceSwap,
  renderVideo,
  renderLipSync,
  renderVideoEdit,
  renderSpeech,
} as const satisfies Record<string, (request: never) => Promise<RenderedAsset>>;

export type Renderers = typeof RENDERERS;
export type RendererName = keyof Renderers;
