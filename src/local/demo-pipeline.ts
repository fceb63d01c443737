import type { PipelineRequest } from '../contract/pipeline.ts';

export const DEFAULT_PROMPT = 'a lighthouse at dawn, waves breaking on the rocks';

/** What `npm start` runs: a picture, twice as large, then three seconds of film that begin with it. */
export function demoPipeline(prompt: string): PipelineRequest {
  return {
    steps: {
      still: { model: 'image-l', input: { prompt, aspect_ratio: '16:9', resolution: '1K' } },
      large: { model: 'upscale-q', input: { image_url: { $from: 'still' }, upscale_factor: 2 } },
      clip: {
        model: 'video-f',
        input: {
          prompt: `the camera moves in slowly: ${prompt}`,
          first_frame_url: { $from: 'large', output: 0 },
          duration: 3,
          aspect_ratio: '16:9',
        },
      },
    },
  };
}
