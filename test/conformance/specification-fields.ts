import type { ModelId } from '../../src/api/models/registry.ts';

/**
 * The fields of every model, written down from the API specification a second time and independently of the model
 * files: `name!` is required, `name?` has an assumed name, then what is allowed in the words of error messages.
 */
const n = 'n? an integer from 1 to 4';
const seed31 = 'seed? an integer from 0 to 2147483647';
const seed53 = 'seed? an integer from -9007199254740991 to 9007199254740991';
const url = 'an http(s) URL';
const urls = `a list, each ${url}`;
const topK = 'an integer from 0 to 9007199254740991';
const share = 'a number from 0 to 1';
const positive = 'a number greater than 0';
const flag = 'true or false';
const frameRatios = 'aspect_ratio? one of 16:9, 9:16, 4:3, 3:4, 1:1, 21:9';

export const SPECIFICATION_FIELDS: Readonly<Record<ModelId, readonly string[]>> = {
  'speech-a': [
    'text! a string',
    'prompt? a string',
    'voice? a string that is not empty',
    'language? one of Auto, English, Chinese, Spanish, French, German, Italian, Japanese, Korean, Portuguese, Russian',
    `speaker_voice_embedding_file_url? ${url}`,
    'reference_text? a string',
    `top_k? ${topK}`,
    `top_p? ${share}`,
    `temperature? ${share}`,
    'repetition_penalty? a number of at least 0',
    `subtalker_dosample? ${flag}`,
    `subtalker_top_k? ${topK}`,
    `subtalker_top_p? ${share}`,
    `subtalker_temperature? ${share}`,
    'max_new_tokens? an integer from 1 to 8192',
  ],
  'speech-b': [
    'text! a string of 1 to 5000 characters',
    'voice? a string that is not empty',
    `stability? ${share}`,
    `timestamps? ${flag}`,
    'language_code? one of auto, en, zh, es, fr, de, it, pt, ru, ja, ko, ar, hi, tr, nl, uk, vi, id, th, pl, ro, el, cs, fi, bg, da, he, ms, fa, sk, sv, hr, hu, no, sl, ca, af, tl, ta',
    'apply_text_normalization? one of auto, on, off',
  ],
  'face-swap-c': ['input_image! a string', 'swap_image! a string'],
  'video-d': [
    'prompt a string that is not empty',
    `video_url ${url}`,
    'workflow_type? one of text-to-video, image-to-video, reference-to-video, edit-video',
    `image_url? ${url}`,
    `image_urls? a list of at most 9, each ${url}`,
    `reference_image_urls? a list of at most 9, each ${url}`,
    'resolution? one of 720p, 1080p',
    'aspect_ratio? one of 16:9, 9:16, 1:1, 4:3, 3:4',
    'duration? an integer from 3 to 15',
    'audio_setting? one of auto, origin',
    seed31,
  ],
  'video-e': [
    'prompt! a string',
    `first_frame_url! ${url}`,
    `duration? ${positive}`,
    'resolution? one of 768p, 1080p',
    `prompt_optimizer? ${flag}`,
    n,
  ],
  'video-f': [`first_frame_url! ${url}`, 'prompt! a string', seed53, `duration? ${positive}`, frameRatios, n],
  'video-g': ['prompt! a string', `first_frame_url ${url}`, `duration? ${positive}`, frameRatios, n],
  'lip-sync-h': [`video_url! ${url}`, `audio_url! ${url}`, 'quality? one of standard, pro', n],
  'video-i': [
    'prompt! a string of at most 3000 characters',
    `${seed53} or null`,
    'duration? a number from 2 to 8',
    'resolution? one of 720p, 1080p',
    'aspect_ratio? one of 16:9, 9:16, 1:1',
    `image_urls? ${urls}`,
    'movement_amplitude? one of auto, small, medium, large',
    `bgm? ${flag}`,
    n,
  ],
  'video-j': [
    'prompt! a string of at most 3000 characters',
    seed53,
    'duration? a number from 1 to 16',
    'resolution? one of 360p, 540p, 720p, 1080p',
    'aspect_ratio? one of 16:9, 9:16, 1:1',
    `image_url? ${url}`,
    'audio? any value',
    `bgm? ${flag}`,
    n,
  ],
  'video-k': [
    'prompt! a string',
    'mode? one of text-image, frames',
    `image_url? ${url}`,
    `image_urls? ${urls}`,
    `first_frame_url? ${url}`,
    `last_frame_url? ${url}`,
    'resolution? one of 720p, 1080p',
    'aspect_ratio? one of 16:9, 9:16',
    'negative_prompt? a string',
    seed53,
    `auto_fix? ${flag}`,
    n,
  ],
  'image-l': [
    'prompt! a string',
    'aspect_ratio? one of 1:1, 16:9, 3:2, 2:3, 4:5, 5:4, 9:16, 3:4, 4:3, match_input_image',
    'resolution? one of 1K, 2K, 4K',
    `image_urls? a list of at most 4, each ${url}`,
    n,
  ],
  'image-m': [
    'prompt! a string',
    'resolution? one of 1K, 2K, 4K',
    `image_urls? a list of at most 14, each ${url}`,
    'aspect_ratio? one of 1:1, 2:3, 3:2, 3:4, 4:3, 4:5, 5:4, 9:16, 16:9, 21:9',
    `enable_web_search? ${flag}`,
    'output_format? one of jpeg, png, webp',
    n,
  ],
  'image-n': [
    'prompt! a string of at most 2500 characters',
    `image_urls? a list of at most 10, each ${url}`,
    'elements? a list, each an object',
    'resolution? one of 1K, 2K',
    'aspect_ratio? one of auto, 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9',
    'output_format? one of jpeg, png, webp',
    n,
  ],
  'image-o': [
    'prompt! a string',
    `image_url? ${url}`,
    'aspect_ratio? one of 1:1, 2:3, 3:2, 3:4, 4:3, 9:16, 16:9',
    'output_format? one of jpg, png, webp',
    n,
  ],
  'image-p': [
    'prompt! a string',
    'resolution? one of 720p, 1080p',
    frameRatios,
    `image_urls? a list of at most 3, each ${url}`,
    n,
  ],
  'upscale-q': [`image_url! ${url}`, `upscale_factor=2 ${positive}`, n],
  'image-r': [
    'prompt! a string',
    `image_urls? ${urls}`,
    seed53,
    'aspect_ratio? one of 1:1, 16:9, 9:16, 4:3, 3:4, 3:2, 2:3',
    'output_format? one of webp, jpeg, png',
    'negative_prompt? a string',
    n,
  ],
  'image-s': [
    'prompt! a string of 1 to 2000 characters',
    `image_urls? a list of 1 to 4, each ${url}`,
    'negative_prompt? a string of at most 500 characters',
    'aspect_ratio? one of 1:1, 3:4, 9:16, 4:3, 16:9',
    seed31,
    'num_images? an integer from 1 to 5',
    n,
  ],
};
