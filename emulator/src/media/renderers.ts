import { renderFaceSwap } from './picture/render-face-swap.ts';
import { renderImage } from './picture/render-image.ts';
import { renderUpscale } from './picture/render-upscale.ts';
import { renderSpeech } from './sound/render-speech.ts';
import type { RenderedAsset } from './types.ts';
import { renderLipSync } from './video/render-lip-sync.ts';
import { renderVideo } from './video/render-video.ts';
import { renderVideoEdit } from './video/render-video-edit.ts';

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
