/** Written by `npm run schemas` from the registry; not to be edited. */

/** Input of `speech-a`: Speech synthesis with a preset or cloned voice. */
export interface SpeechAInput {
  /** The text to speak */
  text: string;
  /** How to speak; ignored when a speaker embedding is given (the name is assumed) */
  prompt?: string | undefined;
  /** Preset voice; ignored when a speaker embedding is given (at least 1 characters; the name is assumed) */
  voice?: string | undefined;
  /** Language (the name is assumed) */
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
   * Speaker embedding (safetensors) of a cloned voice, which replaces preset voices (URL of: embedding; the name
   * is assumed)
   */
  speaker_voice_embedding_file_url?: string | undefined;
  /** The text that was read when the speaker embedding was made (the name is assumed) */
  reference_text?: string | undefined;
  /** Top-k sampling (at least 0, whole; the name is assumed) */
  top_k?: number | undefined;
  /** Top-p sampling (0 to 1; the name is assumed) */
  top_p?: number | undefined;
  /** Sampling temperature (0 to 1; the name is assumed) */
  temperature?: number | undefined;
  /** Penalty for repeated tokens (at least 0; the name is assumed) */
  repetition_penalty?: number | undefined;
  /** Whether the sub-talker samples (the name is assumed) */
  subtalker_dosample?: boolean | undefined;
  /** Top-k sampling of the sub-talker (at least 0, whole; the name is assumed) */
  subtalker_top_k?: number | undefined;
  /** Top-p sampling of the sub-talker (0 to 1; the name is assumed) */
  subtalker_top_p?: number | undefined;
  /** Sampling temperature of the sub-talker (0 to 1; the name is assumed) */
  subtalker_temperature?: number | undefined;
  /** Most codec tokens to make (1 to 8192, whole; the name is assumed) */
  max_new_tokens?: number | undefined;
}

/** Input of `speech-b`: Speech synthesis, many voices, with timestamps. */
export interface SpeechBInput {
  /** The text to speak (1 to 5000 characters) */
  text: string;
  /** Preset voice (at least 1 characters; the name is assumed) */
  voice?: string | undefined;
  /** Stability of the voice (0 to 1; the name is assumed) */
  stability?: number | undefined;
  /** Whether to return timestamps for each word (the name is assumed) */
  timestamps?: boolean | undefined;
  /** Language to enforce (ISO 639-1); auto lets the provider detect it (the name is assumed) */
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
  /** Text normalization: auto (the provider decides), on (always) or off (the name is assumed) */
  apply_text_normalization?: 'auto' | 'on' | 'off' | undefined;
}

/** Input of `face-swap-c`: Face swap, image to image. */
export interface FaceSwapCInput {
  /** The image whose face is replaced, as a URL (URL of: image) */
  input_image: string;
  /** The image with the face to put in, as a URL (URL of: image) */
  swap_image: string;
}

/**
 * Input of `video-d`: Video with four workflows: from text, an image or references, or an edit of a video.
 * - video_url is the source video of edit-video (assumed)
 * - image_url is the source image of image-to-video (assumed)
 * - text-to-video takes no images (assumed)
 * - outside reference-to-video image_urls is only an alias for a single image (assumed)
 * - reference_image_urls is for reference-to-video and edit-video (assumed)
 * - reference-to-video takes 1 to 9 reference images
 * - edit-video takes up to 5 guide images
 * - a video_url makes it edit-video, which takes up to 5 guide images (assumed)
 * - aspect_ratio is for text-to-video and reference-to-video (assumed)
 * - audio_setting is for edit-video (assumed)
 */
export interface VideoDInput {
  /** Scene, motion, style or requested edit (at least 1 characters) */
  prompt?: string | undefined;
  /** The source video (edit-video) (URL of: video) */
  video_url?: string | undefined;
  /** Workflow (the name is assumed) */
  workflow_type?: 'text-to-video' | 'image-to-video' | 'reference-to-video' | 'edit-video' | undefined;
  /** The source image (image-to-video) (URL of: image; the name is assumed) */
  image_url?: string | undefined;
  /**
   * Reference images (reference-to-video, 1 to 9); also takes the one image of a single-image request (at most 9
   * entries; URLs of: image; the name is assumed)
   */
  image_urls?: string[] | undefined;
  /**
   * Reference images (reference-to-video, 1 to 9) or guide images (edit-video, up to 5) (at most 9 entries; URLs
   * of: image; the name is assumed)
   */
  reference_image_urls?: string[] | undefined;
  /** Resolution (the name is assumed) */
  resolution?: '720p' | '1080p' | undefined;
  /** Aspect ratio (text-to-video and reference-to-video) (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | undefined;
  /** Duration in seconds (3 to 15, whole; the name is assumed) */
  duration?: number | undefined;
  /** Audio (edit-video); origin keeps the input video's audio (the name is assumed) */
  audio_setting?: 'auto' | 'origin' | undefined;
  /** Random seed (0 to 2147483647, whole; the name is assumed) */
  seed?: number | undefined;
}

/**
 * Input of `video-e`: Video from a first frame, fast.
 * - 1080p supports only 6 seconds, and 10 seconds work only at 768p
 */
export interface VideoEInput {
  /** What happens in the video */
  prompt: string;
  /** The first frame image (URL of: image) */
  first_frame_url: string;
  /** Duration in seconds; 10 seconds only at 768p (above 0; the name is assumed) */
  duration?: number | undefined;
  /** Resolution; 1080p supports only 6 seconds (the name is assumed) */
  resolution?: '768p' | '1080p' | undefined;
  /** Whether the prompt is optimized first (the name is assumed) */
  prompt_optimizer?: boolean | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `video-f`: Video from a first frame. */
export interface VideoFInput {
  /** The first frame image (URL of: image) */
  first_frame_url: string;
  /** What happens in the video */
  prompt: string;
  /** Random seed (the name is assumed) */
  seed?: number | undefined;
  /** Duration of the output in seconds (above 0; the name is assumed) */
  duration?: number | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `video-g`: Video from text and an optional first frame. */
export interface VideoGInput {
  /** What happens in the video */
  prompt: string;
  /** The first frame image (URL of: image) */
  first_frame_url?: string | undefined;
  /** Duration of the output in seconds (above 0; the name is assumed) */
  duration?: number | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `lip-sync-h`: Lip sync of a video to an audio track. */
export interface LipSyncHInput {
  /** The source video (URL of: video) */
  video_url: string;
  /** The source audio (URL of: audio) */
  audio_url: string;
  /** Quality tier (the name is assumed) */
  quality?: 'standard' | 'pro' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/**
 * Input of `video-i`: Video from text or references, turbo.
 * - background music is only for 4-second videos
 */
export interface VideoIInput {
  /** What happens in the video (at most 3000 characters) */
  prompt: string;
  /** Random seed; null or omitted gives a random one (the name is assumed) */
  seed?: number | null | undefined;
  /** Duration in seconds (2 to 8; the name is assumed) */
  duration?: number | undefined;
  /** Resolution (the name is assumed) */
  resolution?: '720p' | '1080p' | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | undefined;
  /** Reference images (reference-to-video) (URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** How much moves (the name is assumed) */
  movement_amplitude?: 'auto' | 'small' | 'medium' | 'large' | undefined;
  /** Background music; only for 4-second videos (the name is assumed) */
  bgm?: boolean | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/**
 * Input of `video-j`: Video with audio.
 * - background music is only for 4-second videos
 */
export interface VideoJInput {
  /** What happens in the video (at most 3000 characters) */
  prompt: string;
  /** Random seed (the name is assumed) */
  seed?: number | undefined;
  /** Duration in seconds (1 to 16; the name is assumed) */
  duration?: number | undefined;
  /** Resolution (the name is assumed) */
  resolution?: '360p' | '540p' | '720p' | '1080p' | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '1:1' | undefined;
  /** The input image (URL of: image; the name is assumed) */
  image_url?: string | undefined;
  /** Audio and video output capability; the allowed values are not known (the name is assumed) */
  audio?: unknown;
  /** Background music; only for 4-second videos (the name is assumed) */
  bgm?: boolean | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/**
 * Input of `video-k`: Video, lite, with a frames mode.
 * - first and last frame are for the frames mode (assumed)
 */
export interface VideoKInput {
  /** What happens in the video */
  prompt: string;
  /** Generation mode (the name is assumed) */
  mode?: 'text-image' | 'frames' | undefined;
  /** The input image (URL of: image; the name is assumed) */
  image_url?: string | undefined;
  /** Input images (URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** The first frame image (frames mode) (URL of: image; the name is assumed) */
  first_frame_url?: string | undefined;
  /** The last frame image (frames mode) (URL of: image; the name is assumed) */
  last_frame_url?: string | undefined;
  /** Resolution (the name is assumed) */
  resolution?: '720p' | '1080p' | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | undefined;
  /** What to exclude (the name is assumed) */
  negative_prompt?: string | undefined;
  /** Random seed; omitted gives a random one (the name is assumed) */
  seed?: number | undefined;
  /** Whether a prompt that moderation would refuse is rewritten (the name is assumed) */
  auto_fix?: boolean | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `image-l`: Image, general text-to-image and image-to-image. */
export interface ImageLInput {
  /** What the image shows */
  prompt: string;
  /** Aspect ratio; match_input_image matches the first input image (the name is assumed) */
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
  /** Resolution (the name is assumed) */
  resolution?: '1K' | '2K' | '4K' | undefined;
  /** Input images (jpeg, png, gif or webp) (at most 4 entries; URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `image-m`: Image with web knowledge. */
export interface ImageMInput {
  /** What the image shows */
  prompt: string;
  /** Resolution (the name is assumed) */
  resolution?: '1K' | '2K' | '4K' | undefined;
  /** Input images (at most 14 entries; URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '1:1' | '2:3' | '3:2' | '3:4' | '4:3' | '4:5' | '5:4' | '9:16' | '16:9' | '21:9' | undefined;
  /** Whether the model may use current information from the web (the name is assumed) */
  enable_web_search?: boolean | undefined;
  /** Output format (the name is assumed) */
  output_format?: 'jpeg' | 'png' | 'webp' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/**
 * Input of `image-n`: Image with elements.
 * - an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly
 * one (assumed)
 */
export interface ImageNInput {
  /**
   * What the image shows; @Image1, @Image2, … name the reference images (@Image if there is one) (at most 2500
   * characters)
   */
  prompt: string;
  /** Reference images, 1-indexed in the prompt (at most 10 entries; URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** Elements of the image (the name is assumed) */
  elements?:
    | { reference_image_urls?: string[] | undefined; frontal_image_url?: string | undefined }[]
    | undefined;
  /** Resolution (the name is assumed) */
  resolution?: '1K' | '2K' | undefined;
  /** Aspect ratio; auto decides from the input (the name is assumed) */
  aspect_ratio?: 'auto' | '16:9' | '9:16' | '1:1' | '4:3' | '3:4' | '3:2' | '2:3' | '21:9' | undefined;
  /** Output format (the name is assumed) */
  output_format?: 'jpeg' | 'png' | 'webp' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `image-o`: Image with an optional input image. */
export interface ImageOInput {
  /** What the image shows */
  prompt: string;
  /** The input image (image-to-image) (URL of: image; the name is assumed) */
  image_url?: string | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '1:1' | '2:3' | '3:2' | '3:4' | '4:3' | '9:16' | '16:9' | undefined;
  /** Output format (the name is assumed) */
  output_format?: 'jpg' | 'png' | 'webp' | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `image-p`: Image with reference images. */
export interface ImagePInput {
  /** What the image shows */
  prompt: string;
  /** Resolution (the name is assumed) */
  resolution?: '720p' | '1080p' | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '16:9' | '9:16' | '4:3' | '3:4' | '1:1' | '21:9' | undefined;
  /** Reference images (at most 3 entries; URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `upscale-q`: Image upscaling. */
export interface UpscaleQInput {
  /** The source image (URL of: image) */
  image_url: string;
  /** 2 doubles width and height; the output goes up to 4K (above 0; default: 2) */
  upscale_factor?: number | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** Input of `image-r`: Image with a negative prompt. */
export interface ImageRInput {
  /** What the image shows */
  prompt: string;
  /** Input images (URLs of: image; the name is assumed) */
  image_urls?: string[] | undefined;
  /** Random seed (the name is assumed) */
  seed?: number | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '1:1' | '16:9' | '9:16' | '4:3' | '3:4' | '3:2' | '2:3' | undefined;
  /** Output format (the name is assumed) */
  output_format?: 'webp' | 'jpeg' | 'png' | undefined;
  /** What to exclude (the name is assumed) */
  negative_prompt?: string | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/**
 * Input of `image-s`: Image generation and edit.
 * - edit mode (with reference images) makes up to 4 images, text mode up to 5
 */
export interface ImageSInput {
  /** What the image shows, or the edit; Chinese or English (1 to 2000 characters) */
  prompt: string;
  /**
   * Reference images, each at least 384x384 pixels; when given, the model edits (1 to 4 entries; URLs of: image;
   * the name is assumed)
   */
  image_urls?: string[] | undefined;
  /** What to exclude (at most 500 characters; the name is assumed) */
  negative_prompt?: string | undefined;
  /** Aspect ratio (the name is assumed) */
  aspect_ratio?: '1:1' | '3:4' | '9:16' | '4:3' | '16:9' | undefined;
  /** Random seed (0 to 2147483647, whole; the name is assumed) */
  seed?: number | undefined;
  /** Number of images; text mode up to 5, edit mode up to 4 (1 to 5, whole; the name is assumed) */
  num_images?: number | undefined;
  /** Number of results (1 to 4, whole; the name is assumed) */
  n?: number | undefined;
}

/** The input of each model, by its id. */
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

/** What each model makes. */
export interface ModelOutputs {
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

/** The fields of each model that take the URL of a file or a list of such, and of what kind these are. */
export interface ModelFiles {
  'speech-a': { speaker_voice_embedding_file_url: 'embedding' };
  'speech-b': Readonly<Record<string, never>>;
  'face-swap-c': { input_image: 'image'; swap_image: 'image' };
  'video-d': {
    video_url: 'video';
    image_url: 'image';
    image_urls: 'image';
    reference_image_urls: 'image';
  };
  'video-e': { first_frame_url: 'image' };
  'video-f': { first_frame_url: 'image' };
  'video-g': { first_frame_url: 'image' };
  'lip-sync-h': { video_url: 'video'; audio_url: 'audio' };
  'video-i': { image_urls: 'image' };
  'video-j': { image_url: 'image' };
  'video-k': {
    image_url: 'image';
    image_urls: 'image';
    first_frame_url: 'image';
    last_frame_url: 'image';
  };
  'image-l': { image_urls: 'image' };
  'image-m': { image_urls: 'image' };
  'image-n': { image_urls: 'image' };
  'image-o': { image_url: 'image' };
  'image-p': { image_urls: 'image' };
  'upscale-q': { image_url: 'image' };
  'image-r': { image_urls: 'image' };
  'image-s': { image_urls: 'image' };
}
