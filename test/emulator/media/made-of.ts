import { createHash } from 'node:crypto';
import { GUESSES } from '../../../emulator/src/assumptions.ts';
import { RENDERERS } from '../../../emulator/src/media/renderers.ts';
import { RenderingFields } from '../../../emulator/src/media/rendering-fields.ts';
import { RENDERINGS } from '../../../emulator/src/media/renderings.ts';
import type { RenderedAsset } from '../../../emulator/src/media/types.ts';
import { moderatedPrompt, resultCount } from '../../../emulator/src/tasks/input-meaning.ts';
import type { ModelId } from '../../../src/api/models/registry.ts';
import { filesByUrl } from './effect-files.ts';
import type { Facts } from './effects.ts';
import { videoFacts } from './video/video-facts.ts';

export interface Made {
  facts: Facts;
  assets: RenderedAsset[];
  /** Of the first file's bytes. */
  digest: string;
}

export type MadeOf = (model: ModelId, input: Readonly<Record<string, unknown>>) => Promise<Made>;

/** The usual resolutions, a twentieth or so as large. */
const RESOLUTIONS = {
  ...GUESSES.resolutions.usual,
  '1K': { side: 'longest', pixels: 64 },
  '2K': { side: 'longest', pixels: 96 },
  '360p': { side: 'shortest', pixels: 18 },
  '720p': { side: 'shortest', pixels: 36 },
  '768p': { side: 'shortest', pixels: 36 },
  '1080p': { side: 'shortest', pixels: 54 },
} as const;

/**
 * What the emulator makes of a model's input: as for a task, small, and from the same seed unless the input has one. The
 * same input is made once.
 */
export async function openStudio(): Promise<MadeOf> {
  const files = await filesByUrl();
  const fetch = async (url: string): Promise<Uint8Array> => files.get(url) ?? Promise.reject(new Error(url));
  const make: MadeOf = async (model, input) => {
    const { assets, extra } = await RENDERINGS[model]({
      input: new RenderingFields(input),
      prompt: moderatedPrompt({ ...input }, GUESSES.moderationTrigger.usual),
      seed: typeof input['seed'] === 'number' ? input['seed'] : 1,
      results: resultCount({ ...input }),
      usual: { ...usualOf(model), seconds: 1 },
      resolutions: RESOLUTIONS,
      longestUpscaledSide: 4_096,
      renderers: { ...RENDERERS, close: async () => {} },
      fetch,
    });
    const [first] = assets;
    const words = extra?.['timestamps'];
    const facts: Facts = {
      files: assets.length,
      type: first?.contentType ?? null,
      size: first?.width == null ? undefined : `${first.width}x${first.height}`,
      seconds: first?.duration == null ? undefined : Math.round(first.duration),
      sound:
        first?.contentType === 'video/mp4'
          ? ((await videoFacts(first.bytes)).audioCodec ?? undefined)
          : undefined,
      words: Array.isArray(words) ? words.length : 0,
    };
    return {
      facts,
      assets,
      digest: createHash('sha256')
        .update(first?.bytes ?? '')
        .digest('hex'),
    };
  };
  const made = new Map<string, Promise<Made>>();
  return (model, input) => {
    const key = JSON.stringify([model, input]);
    const known = made.get(key) ?? make(model, input);
    made.set(key, known);
    return known;
  };
}

function usualOf(model: ModelId): { aspect?: string | undefined; resolution?: string | undefined } {
  return Object.entries(GUESSES.outputSizes.usual).find(([id]) => id === model)?.[1] ?? {};
}
