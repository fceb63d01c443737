/**
 * The inputs of all models as types, made of the models' own fields by `npm run schemas`: what an editor shows of a
 * field is its meaning and its limits. A test holds them to the schemas that inputs are checked by.
 */

/** Speech synthesis with a preset or cloned voice. */
export interface SpeechAInput {
  /** The text to speak: a string. */
  text: string;
  /**
   * How to speak; ignored when a speaker embedding is given: a string.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  prompt?: string | undefined;
  /**
   * Preset voice; ignored when a speaker embedding is given: a string that is not empty.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  voice?: string | undefined;
  /**
   * Language: one of Auto, English, Chinese, Spanish, French, German, Italian, Japanese, Korean, Portuguese, Russian.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  language?:
    | 'Auto'
    | 'English'
    | 'Chinese'
    | 'Spanish'
    | 'French'
    | 'German'
    | 'Italian'
    | 'Japanese'
    | 'Korean'
    | 'Portuguese'
    | 'Russian'
    | undefined;
  /**
   * Speaker embedding (safetensors) of a cloned voice, which replaces preset voices: an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  speaker_voice_embedding_file_url?: string | undefined;
  /**
   * The text that was read when the speaker embedding was made: a string.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  reference_text?: string | undefined;
  /**
   * Top-k sampling: an integer from 0 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  top_k?: number | undefined;
  /**
   * Top-p sampling: a number from 0 to 1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  top_p?: number | undefined;
  /**
   * Sampling temperature: a number from 0 to 1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  temperature?: number | undefined;
  /**
   * Penalty for repeated tokens: a number of at least 0.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  repetition_penalty?: number | undefined;
  /**
   * Whether the sub-talker samples: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  subtalker_dosample?: boolean | undefined;
  /**
   * Top-k sampling of the sub-talker: an integer from 0 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  subtalker_top_k?: number | undefined;
  /**
   * Top-p sampling of the sub-talker: a number from 0 to 1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  subtalker_top_p?: number | undefined;
  /**
   * Sampling temperature of the sub-talker: a number from 0 to 1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  subtalker_temperature?: number | undefined;
  /**
   * Most codec tokens to make: an integer from 1 to 8192.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  max_new_tokens?: number | undefined;
}

/** Speech synthesis, many voices, with timestamps. */
export interface SpeechBInput {
  /** The text to speak: a string of 1 to 5000 characters. */
  text: string;
  /**
   * Preset voice: a string that is not empty.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  voice?: string | undefined;
  /**
   * Stability of the voice: a number from 0 to 1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  stability?: number | undefined;
  /**
   * Whether to return timestamps for each word: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  timestamps?: boolean | undefined;
  /**
   * Language to enforce (ISO 639-1); auto lets the provider detect it: one of auto, en, zh, es, fr, de, it, pt, ru, ja, ko, ar, hi, tr, nl, uk, vi, id, th, pl, ro, el, cs, fi, bg, da, he, ms, fa, sk, sv, hr, hu, no, sl, ca, af, tl, ta.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  language_code?:
    | 'auto'
    | 'en'
    | 'zh'
    | 'es'
    | 'fr'
    | 'de'
    | 'it'
    | 'pt'
    | 'ru'
    | 'ja'
    | 'ko'
    | 'ar'
    | 'hi'
    | 'tr'
    | 'nl'
    | 'uk'
    | 'vi'
    | 'id'
    | 'th'
    | 'pl'
    | 'ro'
    | 'el'
    | 'cs'
    | 'fi'
    | 'bg'
    | 'da'
    | 'he'
    | 'ms'
    | 'fa'
    | 'sk'
    | 'sv'
    | 'hr'
    | 'hu'
    | 'no'
    | 'sl'
    | 'ca'
    | 'af'
    | 'tl'
    | 'ta'
    | undefined;
  /**
   * Text normalization: auto (the provider decides), on (always) or off: one of auto, on, off.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  apply_text_normalization?: 'auto' | 'on' | 'off' | undefined;
}

/** Face swap, image to image. */
export interface FaceSwapCInput {
  /** The image whose face is replaced, as a URL: a string. */
  input_image: string;
  /** The image with the face to put in, as a URL: a string. */
  swap_image: string;
}

/**
 * Video with four workflows: from text, an image or references, or an edit of a video.
 * - video_url is the source video of edit-video
 * - image_url is the source image of image-to-video
 * - text-to-video takes no images
 * - outside reference-to-video image_urls is only an alias for a single image
 * - reference_image_urls is for reference-to-video and edit-video
 * - reference-to-video takes 1 to 9 reference images
 * - edit-video takes up to 5 guide images
 * - a video_url makes it edit-video, which takes up to 5 guide images
 * - aspect_ratio is for text-to-video and reference-to-video
 * - audio_setting is for edit-video
 */
export interface VideoDInput {
  /** Scene, motion, style or requested edit: a string that is not empty. */
  prompt?: string | undefined;
  /** The source video (edit-video): an http(s) URL. */
  video_url?: string | undefined;
  /**
   * Workflow: one of text-to-video, image-to-video, reference-to-video, edit-video.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  workflow_type?: 'text-to-video' | 'image-to-video' | 'reference-to-video' | 'edit-video' | undefined;
  /**
   * The source image (image-to-video): an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_url?: string | undefined;
  /**
   * Reference images (reference-to-video, 1 to 9); also takes the one image of a single-image request: a list of at most 9, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Reference images (reference-to-video, 1 to 9) or guide images (edit-video, up to 5): a list of at most 9, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  reference_image_urls?: string[] | undefined;
  /**
   * Resolution: one of 720p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '720p' | '1080p' | undefined;
  /**
   * Aspect ratio (text-to-video and reference-to-video): one of 16:9, 9:16, 1:1, 4:3, 3:4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | undefined;
  /**
   * Duration in seconds: an integer from 3 to 15.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Audio (edit-video); origin keeps the input video's audio: one of auto, origin.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  audio_setting?: 'auto' | 'origin' | undefined;
  /**
   * Random seed: an integer from 0 to 2147483647.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
}

/**
 * Video from a first frame, fast.
 * - 1080p supports only 6 seconds, and 10 seconds work only at 768p
 */
export interface VideoEInput {
  /** What happens in the video: a string. */
  prompt: string;
  /** The first frame image: an http(s) URL. */
  first_frame_url: string;
  /**
   * Duration in seconds; 10 seconds only at 768p: a number greater than 0.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Resolution; 1080p supports only 6 seconds: one of 768p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '768p' | '1080p' | undefined;
  /**
   * Whether the prompt is optimized first: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  prompt_optimizer?: boolean | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Video from a first frame.
 * Costs 0.05 USD per output second.
 */
export interface VideoFInput {
  /** The first frame image: an http(s) URL. */
  first_frame_url: string;
  /** What happens in the video: a string. */
  prompt: string;
  /**
   * Random seed: an integer from -9007199254740991 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
  /**
   * Duration of the output in seconds: a number greater than 0.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16, 4:3, 3:4, 1:1, 21:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Video from text and an optional first frame.
 * Costs 0.05 USD per output second.
 */
export interface VideoGInput {
  /** What happens in the video: a string. */
  prompt: string;
  /** The first frame image: an http(s) URL. */
  first_frame_url?: string | undefined;
  /**
   * Duration of the output in seconds: a number greater than 0.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16, 4:3, 3:4, 1:1, 21:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Lip sync of a video to an audio track. */
export interface LipSyncHInput {
  /** The source video: an http(s) URL. */
  video_url: string;
  /** The source audio: an http(s) URL. */
  audio_url: string;
  /**
   * Quality tier: one of standard, pro.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  quality?: 'standard' | 'pro' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Video from text or references, turbo.
 * - background music is only for 4-second videos
 */
export interface VideoIInput {
  /** What happens in the video: a string of at most 3000 characters. */
  prompt: string;
  /**
   * Random seed; null or omitted gives a random one: an integer from -9007199254740991 to 9007199254740991 or null.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | null | undefined;
  /**
   * Duration in seconds: a number from 2 to 8.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Resolution: one of 720p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '720p' | '1080p' | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16, 1:1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | undefined;
  /**
   * Reference images (reference-to-video): a list, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * How much moves: one of auto, small, medium, large.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  movement_amplitude?: 'auto' | 'small' | 'medium' | 'large' | undefined;
  /**
   * Background music; only for 4-second videos: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  bgm?: boolean | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Video with audio.
 * - background music is only for 4-second videos
 */
export interface VideoJInput {
  /** What happens in the video: a string of at most 3000 characters. */
  prompt: string;
  /**
   * Random seed: an integer from -9007199254740991 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
  /**
   * Duration in seconds: a number from 1 to 16.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  duration?: number | undefined;
  /**
   * Resolution: one of 360p, 540p, 720p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '360p' | '540p' | '720p' | '1080p' | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16, 1:1.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | undefined;
  /**
   * The input image: an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_url?: string | undefined;
  /**
   * Audio and video output capability; the allowed values are not known: any value.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  audio?: unknown;
  /**
   * Background music; only for 4-second videos: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  bgm?: boolean | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Video, lite, with a frames mode.
 * - first and last frame are for the frames mode
 */
export interface VideoKInput {
  /** What happens in the video: a string. */
  prompt: string;
  /**
   * Generation mode: one of text-image, frames.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  mode?: 'text-image' | 'frames' | undefined;
  /**
   * The input image: an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_url?: string | undefined;
  /**
   * Input images: a list, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * The first frame image (frames mode): an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  first_frame_url?: string | undefined;
  /**
   * The last frame image (frames mode): an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  last_frame_url?: string | undefined;
  /**
   * Resolution: one of 720p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '720p' | '1080p' | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | undefined;
  /**
   * What to exclude: a string.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  negative_prompt?: string | undefined;
  /**
   * Random seed; omitted gives a random one: an integer from -9007199254740991 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
  /**
   * Whether a prompt that moderation would refuse is rewritten: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  auto_fix?: boolean | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image, general text-to-image and image-to-image. */
export interface ImageLInput {
  /** What the image shows: a string. */
  prompt: string;
  /**
   * Aspect ratio; match_input_image matches the first input image: one of 1:1, 16:9, 3:2, 2:3, 4:5, 5:4, 9:16, 3:4, 4:3, match_input_image.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?:
    | '1:1'
    | '16:9'
    | '3:2'
    | '2:3'
    | '4:5'
    | '5:4'
    | '9:16'
    | '3:4'
    | '4:3'
    | 'match_input_image'
    | undefined;
  /**
   * Resolution: one of 1K, 2K, 4K.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '1K' | '2K' | '4K' | undefined;
  /**
   * Input images (jpeg, png, gif or webp): a list of at most 4, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image with web knowledge. */
export interface ImageMInput {
  /** What the image shows: a string. */
  prompt: string;
  /**
   * Resolution: one of 1K, 2K, 4K.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '1K' | '2K' | '4K' | undefined;
  /**
   * Input images: a list of at most 14, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Aspect ratio: one of 1:1, 2:3, 3:2, 3:4, 4:3, 4:5, 5:4, 9:16, 16:9, 21:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '1:1' | '2:3' | '3:2' | '3:4' | '4:3' | '4:5' | '5:4' | '9:16' | '16:9' | '21:9' | undefined;
  /**
   * Whether the model may use current information from the web: true or false.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  enable_web_search?: boolean | undefined;
  /**
   * Output format: one of jpeg, png, webp.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  output_format?: 'jpeg' | 'png' | 'webp' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Image with elements.
 * - an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly one
 */
export interface ImageNInput {
  /** What the image shows; @Image1, @Image2, … name the reference images (@Image if there is one): a string of at most 2500 characters. */
  prompt: string;
  /**
   * Reference images, 1-indexed in the prompt: a list of at most 10, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Elements of the image: a list, each an object.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  elements?:
    | {
        /** Reference images of the element: a list, each an http(s) URL. */
        reference_image_urls?: string[] | undefined;
        /** The frontal image of the element: an http(s) URL. */
        frontal_image_url?: string | undefined;
        [attribute: string]: unknown;
      }[]
    | undefined;
  /**
   * Resolution: one of 1K, 2K.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '1K' | '2K' | undefined;
  /**
   * Aspect ratio; auto decides from the input: one of auto, 16:9, 9:16, 1:1, 4:3, 3:4, 3:2, 2:3, 21:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: 'auto' | '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '3:2' | '2:3' | '21:9' | undefined;
  /**
   * Output format: one of jpeg, png, webp.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  output_format?: 'jpeg' | 'png' | 'webp' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image with an optional input image. */
export interface ImageOInput {
  /** What the image shows: a string. */
  prompt: string;
  /**
   * The input image (image-to-image): an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_url?: string | undefined;
  /**
   * Aspect ratio: one of 1:1, 2:3, 3:2, 3:4, 4:3, 9:16, 16:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '1:1' | '2:3' | '3:2' | '3:4' | '4:3' | '9:16' | '16:9' | undefined;
  /**
   * Output format: one of jpg, png, webp.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  output_format?: 'jpg' | 'png' | 'webp' | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image with reference images. */
export interface ImagePInput {
  /** What the image shows: a string. */
  prompt: string;
  /**
   * Resolution: one of 720p, 1080p.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  resolution?: '720p' | '1080p' | undefined;
  /**
   * Aspect ratio: one of 16:9, 9:16, 4:3, 3:4, 1:1, 21:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /**
   * Reference images: a list of at most 3, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image upscaling. */
export interface UpscaleQInput {
  /** The source image: an http(s) URL. */
  image_url: string;
  /**
   * 2 doubles width and height; the output goes up to 4K: a number greater than 0.
   * Default: 2.
   */
  upscale_factor?: number | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** Image with a negative prompt. */
export interface ImageRInput {
  /** What the image shows: a string. */
  prompt: string;
  /**
   * Input images: a list, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * Random seed: an integer from -9007199254740991 to 9007199254740991.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
  /**
   * Aspect ratio: one of 1:1, 16:9, 9:16, 4:3, 3:4, 3:2, 2:3.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '1:1' | '16:9' | '9:16' | '4:3' | '3:4' | '3:2' | '2:3' | undefined;
  /**
   * Output format: one of webp, jpeg, png.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  output_format?: 'webp' | 'jpeg' | 'png' | undefined;
  /**
   * What to exclude: a string.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  negative_prompt?: string | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/**
 * Image generation and edit.
 * - edit mode (with reference images) makes up to 4 images, text mode up to 5
 */
export interface ImageSInput {
  /** What the image shows, or the edit; Chinese or English: a string of 1 to 2000 characters. */
  prompt: string;
  /**
   * Reference images, each at least 384x384 pixels; when given, the model edits: a list of 1 to 4, each an http(s) URL.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  image_urls?: string[] | undefined;
  /**
   * What to exclude: a string of at most 500 characters.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  negative_prompt?: string | undefined;
  /**
   * Aspect ratio: one of 1:1, 3:4, 9:16, 4:3, 16:9.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  aspect_ratio?: '1:1' | '3:4' | '9:16' | '4:3' | '16:9' | undefined;
  /**
   * Random seed: an integer from 0 to 2147483647.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  seed?: number | undefined;
  /**
   * Number of images; text mode up to 5, edit mode up to 4: an integer from 1 to 5.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  num_images?: number | undefined;
  /**
   * Number of results: an integer from 1 to 4.
   * The name is assumed; `DARKROOM_CONFIG` can rename it.
   */
  n?: number | undefined;
}

/** The input of each model as its caller writes it, by the model's id. */
export interface ModelInputs {
  'speech-a': SpeechAInput;
  'speech-b': SpeechBInput;
  'face-swap-c': FaceSwapCInput;
  'video-d': VideoDInput;
  'video-e': VideoEInput;
  'video-f': VideoFInput;
  'video-g': VideoGInput;
  'lip-sync-h': LipSyncHInput;
  'video-i': VideoIInput;
  'video-j': VideoJInput;
  'video-k': VideoKInput;
  'image-l': ImageLInput;
  'image-m': ImageMInput;
  'image-n': ImageNInput;
  'image-o': ImageOInput;
  'image-p': ImagePInput;
  'upscale-q': UpscaleQInput;
  'image-r': ImageRInput;
  'image-s': ImageSInput;
}

/** What the files are that each model makes. */
export interface ModelOutputKinds {
  'speech-a': 'audio';
  'speech-b': 'audio';
  'face-swap-c': 'image';
  'video-d': 'video';
  'video-e': 'video';
  'video-f': 'video';
  'video-g': 'video';
  'lip-sync-h': 'video';
  'video-i': 'video';
  'video-j': 'video';
  'video-k': 'video';
  'image-l': 'image';
  'image-m': 'image';
  'image-n': 'image';
  'image-o': 'image';
  'image-p': 'image';
  'upscale-q': 'image';
  'image-r': 'image';
  'image-s': 'image';
}
