// Written by `npm run schemas` from the registry; not to be edited.

package main

// Reference stands in a pipeline for the URL of another step's output.
type Reference struct {
	From string `json:"$from"`
	// Output is 0 for the first one.
	Output int `json:"output,omitempty"`
}

// File is the URL of a file, or in a pipeline a Reference.
type File = any

// Of gives optional numbers and flags their pointers.
func Of[T any](value T) *T { return &value }

// SpeechAInput is the input of speech-a. Speech synthesis with a preset or cloned voice.
type SpeechAInput struct {
	// The text to speak
	Text string `json:"text"`
	// How to speak; ignored when a speaker embedding is given (the name is assumed)
	Prompt string `json:"prompt,omitempty"`
	// Preset voice; ignored when a speaker embedding is given (at least 1 characters; the name is assumed)
	Voice string `json:"voice,omitempty"`
	// Language (the name is assumed)
	Language string `json:"language,omitempty"`
	// Speaker embedding (safetensors) of a cloned voice, which replaces preset voices (URL of: embedding; the name is assumed)
	SpeakerVoiceEmbeddingFileURL File `json:"speaker_voice_embedding_file_url,omitempty"`
	// The text that was read when the speaker embedding was made (the name is assumed)
	ReferenceText string `json:"reference_text,omitempty"`
	// Top-k sampling (at least 0, whole; the name is assumed)
	TopK *int `json:"top_k,omitempty"`
	// Top-p sampling (0 to 1; the name is assumed)
	TopP *float64 `json:"top_p,omitempty"`
	// Sampling temperature (0 to 1; the name is assumed)
	Temperature *float64 `json:"temperature,omitempty"`
	// Penalty for repeated tokens (at least 0; the name is assumed)
	RepetitionPenalty *float64 `json:"repetition_penalty,omitempty"`
	// Whether the sub-talker samples (the name is assumed)
	SubtalkerDosample *bool `json:"subtalker_dosample,omitempty"`
	// Top-k sampling of the sub-talker (at least 0, whole; the name is assumed)
	SubtalkerTopK *int `json:"subtalker_top_k,omitempty"`
	// Top-p sampling of the sub-talker (0 to 1; the name is assumed)
	SubtalkerTopP *float64 `json:"subtalker_top_p,omitempty"`
	// Sampling temperature of the sub-talker (0 to 1; the name is assumed)
	SubtalkerTemperature *float64 `json:"subtalker_temperature,omitempty"`
	// Most codec tokens to make (1 to 8192, whole; the name is assumed)
	MaxNewTokens *int `json:"max_new_tokens,omitempty"`
}

// SpeechBInput is the input of speech-b. Speech synthesis, many voices, with timestamps.
type SpeechBInput struct {
	// The text to speak (1 to 5000 characters)
	Text string `json:"text"`
	// Preset voice (at least 1 characters; the name is assumed)
	Voice string `json:"voice,omitempty"`
	// Stability of the voice (0 to 1; the name is assumed)
	Stability *float64 `json:"stability,omitempty"`
	// Whether to return timestamps for each word (the name is assumed)
	Timestamps *bool `json:"timestamps,omitempty"`
	// Language to enforce (ISO 639-1); auto lets the provider detect it (the name is assumed)
	LanguageCode string `json:"language_code,omitempty"`
	// Text normalization: auto (the provider decides), on (always) or off (the name is assumed)
	ApplyTextNormalization string `json:"apply_text_normalization,omitempty"`
}

// FaceSwapCInput is the input of face-swap-c. Face swap, image to image.
type FaceSwapCInput struct {
	// The image whose face is replaced, as a URL (URL of: image)
	InputImage File `json:"input_image"`
	// The image with the face to put in, as a URL (URL of: image)
	SwapImage File `json:"swap_image"`
}

// VideoDInput is the input of video-d. Video with four workflows: from text, an image or references, or an edit of a video. video_url is the source video of edit-video (assumed). image_url is the source image of image-to-video (assumed). text-to-video takes no images (assumed). outside reference-to-video image_urls is only an alias for a single image (assumed). reference_image_urls is for reference-to-video and edit-video (assumed). reference-to-video takes 1 to 9 reference images. edit-video takes up to 5 guide images. a video_url makes it edit-video, which takes up to 5 guide images (assumed). aspect_ratio is for text-to-video and reference-to-video (assumed). audio_setting is for edit-video (assumed).
type VideoDInput struct {
	// Scene, motion, style or requested edit (at least 1 characters)
	Prompt string `json:"prompt,omitempty"`
	// The source video (edit-video) (URL of: video)
	VideoURL File `json:"video_url,omitempty"`
	// Workflow (the name is assumed)
	WorkflowType string `json:"workflow_type,omitempty"`
	// The source image (image-to-video) (URL of: image; the name is assumed)
	ImageURL File `json:"image_url,omitempty"`
	// Reference images (reference-to-video, 1 to 9); also takes the one image of a single-image request (at most 9 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Reference images (reference-to-video, 1 to 9) or guide images (edit-video, up to 5) (at most 9 entries; URLs of: image; the name is assumed)
	ReferenceImageUrls []File `json:"reference_image_urls,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio (text-to-video and reference-to-video) (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Duration in seconds (3 to 15, whole; the name is assumed)
	Duration *int `json:"duration,omitempty"`
	// Audio (edit-video); origin keeps the input video's audio (the name is assumed)
	AudioSetting string `json:"audio_setting,omitempty"`
	// Random seed (0 to 2147483647, whole; the name is assumed)
	Seed *int `json:"seed,omitempty"`
}

// VideoEInput is the input of video-e. Video from a first frame, fast. 1080p supports only 6 seconds, and 10 seconds work only at 768p.
type VideoEInput struct {
	// What happens in the video
	Prompt string `json:"prompt"`
	// The first frame image (URL of: image)
	FirstFrameURL File `json:"first_frame_url"`
	// Duration in seconds; 10 seconds only at 768p (above 0; the name is assumed)
	Duration *float64 `json:"duration,omitempty"`
	// Resolution; 1080p supports only 6 seconds (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Whether the prompt is optimized first (the name is assumed)
	PromptOptimizer *bool `json:"prompt_optimizer,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// VideoFInput is the input of video-f. Video from a first frame.
type VideoFInput struct {
	// The first frame image (URL of: image)
	FirstFrameURL File `json:"first_frame_url"`
	// What happens in the video
	Prompt string `json:"prompt"`
	// Random seed (the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Duration of the output in seconds (above 0; the name is assumed)
	Duration *float64 `json:"duration,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// VideoGInput is the input of video-g. Video from text and an optional first frame.
type VideoGInput struct {
	// What happens in the video
	Prompt string `json:"prompt"`
	// The first frame image (URL of: image)
	FirstFrameURL File `json:"first_frame_url,omitempty"`
	// Duration of the output in seconds (above 0; the name is assumed)
	Duration *float64 `json:"duration,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// LipSyncHInput is the input of lip-sync-h. Lip sync of a video to an audio track.
type LipSyncHInput struct {
	// The source video (URL of: video)
	VideoURL File `json:"video_url"`
	// The source audio (URL of: audio)
	AudioURL File `json:"audio_url"`
	// Quality tier (the name is assumed)
	Quality string `json:"quality,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// VideoIInput is the input of video-i. Video from text or references, turbo. background music is only for 4-second videos.
type VideoIInput struct {
	// What happens in the video (at most 3000 characters)
	Prompt string `json:"prompt"`
	// Random seed; null or omitted gives a random one (the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Duration in seconds (2 to 8; the name is assumed)
	Duration *float64 `json:"duration,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Reference images (reference-to-video) (URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// How much moves (the name is assumed)
	MovementAmplitude string `json:"movement_amplitude,omitempty"`
	// Background music; only for 4-second videos (the name is assumed)
	Bgm *bool `json:"bgm,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// VideoJInput is the input of video-j. Video with audio. background music is only for 4-second videos.
type VideoJInput struct {
	// What happens in the video (at most 3000 characters)
	Prompt string `json:"prompt"`
	// Random seed (the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Duration in seconds (1 to 16; the name is assumed)
	Duration *float64 `json:"duration,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// The input image (URL of: image; the name is assumed)
	ImageURL File `json:"image_url,omitempty"`
	// Audio and video output capability; the allowed values are not known (the name is assumed)
	Audio any `json:"audio,omitempty"`
	// Background music; only for 4-second videos (the name is assumed)
	Bgm *bool `json:"bgm,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// VideoKInput is the input of video-k. Video, lite, with a frames mode. first and last frame are for the frames mode (assumed).
type VideoKInput struct {
	// What happens in the video
	Prompt string `json:"prompt"`
	// Generation mode (the name is assumed)
	Mode string `json:"mode,omitempty"`
	// The input image (URL of: image; the name is assumed)
	ImageURL File `json:"image_url,omitempty"`
	// Input images (URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// The first frame image (frames mode) (URL of: image; the name is assumed)
	FirstFrameURL File `json:"first_frame_url,omitempty"`
	// The last frame image (frames mode) (URL of: image; the name is assumed)
	LastFrameURL File `json:"last_frame_url,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// What to exclude (the name is assumed)
	NegativePrompt string `json:"negative_prompt,omitempty"`
	// Random seed; omitted gives a random one (the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Whether a prompt that moderation would refuse is rewritten (the name is assumed)
	AutoFix *bool `json:"auto_fix,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageLInput is the input of image-l. Image, general text-to-image and image-to-image.
type ImageLInput struct {
	// What the image shows
	Prompt string `json:"prompt"`
	// Aspect ratio; match_input_image matches the first input image (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Input images (jpeg, png, gif or webp) (at most 4 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageMInput is the input of image-m. Image with web knowledge.
type ImageMInput struct {
	// What the image shows
	Prompt string `json:"prompt"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Input images (at most 14 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Whether the model may use current information from the web (the name is assumed)
	EnableWebSearch *bool `json:"enable_web_search,omitempty"`
	// Output format (the name is assumed)
	OutputFormat string `json:"output_format,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageNInput is the input of image-n. Image with elements. an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly one (assumed).
type ImageNInput struct {
	// What the image shows; @Image1, @Image2, … name the reference images (@Image if there is one) (at most 2500 characters)
	Prompt string `json:"prompt"`
	// Reference images, 1-indexed in the prompt (at most 10 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Elements of the image (the name is assumed)
	Elements []map[string]any `json:"elements,omitempty"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio; auto decides from the input (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Output format (the name is assumed)
	OutputFormat string `json:"output_format,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageOInput is the input of image-o. Image with an optional input image.
type ImageOInput struct {
	// What the image shows
	Prompt string `json:"prompt"`
	// The input image (image-to-image) (URL of: image; the name is assumed)
	ImageURL File `json:"image_url,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Output format (the name is assumed)
	OutputFormat string `json:"output_format,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImagePInput is the input of image-p. Image with reference images.
type ImagePInput struct {
	// What the image shows
	Prompt string `json:"prompt"`
	// Resolution (the name is assumed)
	Resolution string `json:"resolution,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Reference images (at most 3 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// UpscaleQInput is the input of upscale-q. Image upscaling.
type UpscaleQInput struct {
	// The source image (URL of: image)
	ImageURL File `json:"image_url"`
	// 2 doubles width and height; the output goes up to 4K (above 0; default: 2)
	UpscaleFactor *float64 `json:"upscale_factor,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageRInput is the input of image-r. Image with a negative prompt.
type ImageRInput struct {
	// What the image shows
	Prompt string `json:"prompt"`
	// Input images (URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// Random seed (the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Output format (the name is assumed)
	OutputFormat string `json:"output_format,omitempty"`
	// What to exclude (the name is assumed)
	NegativePrompt string `json:"negative_prompt,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}

// ImageSInput is the input of image-s. Image generation and edit. edit mode (with reference images) makes up to 4 images, text mode up to 5.
type ImageSInput struct {
	// What the image shows, or the edit; Chinese or English (1 to 2000 characters)
	Prompt string `json:"prompt"`
	// Reference images, each at least 384x384 pixels; when given, the model edits (1 to 4 entries; URLs of: image; the name is assumed)
	ImageUrls []File `json:"image_urls,omitempty"`
	// What to exclude (at most 500 characters; the name is assumed)
	NegativePrompt string `json:"negative_prompt,omitempty"`
	// Aspect ratio (the name is assumed)
	AspectRatio string `json:"aspect_ratio,omitempty"`
	// Random seed (0 to 2147483647, whole; the name is assumed)
	Seed *int `json:"seed,omitempty"`
	// Number of images; text mode up to 5, edit mode up to 4 (1 to 5, whole; the name is assumed)
	NumImages *int `json:"num_images,omitempty"`
	// Number of results (1 to 4, whole; the name is assumed)
	N *int `json:"n,omitempty"`
}
