"""The input of each model. Written by `npm run schemas` from the registry; not to be edited."""

from typing import Any, List, Literal, Union

from typing_extensions import NotRequired, TypedDict

Reference = TypedDict("Reference", {"$from": str, "output": NotRequired[int]})
"""In a pipeline, in the place of a URL: an output of another step."""

File = Union[str, Reference]
"""The URL of a file, or in a pipeline another step's output."""

ModelId = Literal[
    "speech-a",
    "speech-b",
    "face-swap-c",
    "video-d",
    "video-e",
    "video-f",
    "video-g",
    "lip-sync-h",
    "video-i",
    "video-j",
    "video-k",
    "image-l",
    "image-m",
    "image-n",
    "image-o",
    "image-p",
    "upscale-q",
    "image-r",
    "image-s",
]


class SpeechAInput(TypedDict):
    """Speech synthesis with a preset or cloned voice."""

    # The text to speak
    text: str

    # How to speak; ignored when a speaker embedding is given (the name is assumed)
    prompt: NotRequired[str]

    # Preset voice; ignored when a speaker embedding is given (at least 1 characters; the name is assumed)
    voice: NotRequired[str]

    # Language (the name is assumed)
    language: NotRequired[Literal["Auto", "English", "Chinese", "Spanish", "French", "German", "Italian", "Japanese", "Korean", "Portuguese", "Russian"]]

    # Speaker embedding (safetensors) of a cloned voice, which replaces preset voices (URL of: embedding; the name is assumed)
    speaker_voice_embedding_file_url: NotRequired[File]

    # The text that was read when the speaker embedding was made (the name is assumed)
    reference_text: NotRequired[str]

    # Top-k sampling (at least 0, whole; the name is assumed)
    top_k: NotRequired[int]

    # Top-p sampling (0 to 1; the name is assumed)
    top_p: NotRequired[float]

    # Sampling temperature (0 to 1; the name is assumed)
    temperature: NotRequired[float]

    # Penalty for repeated tokens (at least 0; the name is assumed)
    repetition_penalty: NotRequired[float]

    # Whether the sub-talker samples (the name is assumed)
    subtalker_dosample: NotRequired[bool]

    # Top-k sampling of the sub-talker (at least 0, whole; the name is assumed)
    subtalker_top_k: NotRequired[int]

    # Top-p sampling of the sub-talker (0 to 1; the name is assumed)
    subtalker_top_p: NotRequired[float]

    # Sampling temperature of the sub-talker (0 to 1; the name is assumed)
    subtalker_temperature: NotRequired[float]

    # Most codec tokens to make (1 to 8192, whole; the name is assumed)
    max_new_tokens: NotRequired[int]


class SpeechBInput(TypedDict):
    """Speech synthesis, many voices, with timestamps."""

    # The text to speak (1 to 5000 characters)
    text: str

    # Preset voice (at least 1 characters; the name is assumed)
    voice: NotRequired[str]

    # Stability of the voice (0 to 1; the name is assumed)
    stability: NotRequired[float]

    # Whether to return timestamps for each word (the name is assumed)
    timestamps: NotRequired[bool]

    # Language to enforce (ISO 639-1); auto lets the provider detect it (the name is assumed)
    language_code: NotRequired[Literal["auto", "en", "zh", "es", "fr", "de", "it", "pt", "ru", "ja", "ko", "ar", "hi", "tr", "nl", "uk", "vi", "id", "th", "pl", "ro", "el", "cs", "fi", "bg", "da", "he", "ms", "fa", "sk", "sv", "hr", "hu", "no", "sl", "ca", "af", "tl", "ta"]]

    # Text normalization: auto (the provider decides), on (always) or off (the name is assumed)
    apply_text_normalization: NotRequired[Literal["auto", "on", "off"]]


class FaceSwapCInput(TypedDict):
    """Face swap, image to image."""

    # The image whose face is replaced, as a URL (URL of: image)
    input_image: File

    # The image with the face to put in, as a URL (URL of: image)
    swap_image: File


class VideoDInput(TypedDict):
    """Video with four workflows: from text, an image or references, or an edit of a video. video_url is the source video of edit-video (assumed). image_url is the source image of image-to-video (assumed). text-to-video takes no images (assumed). outside reference-to-video image_urls is only an alias for a single image (assumed). reference_image_urls is for reference-to-video and edit-video (assumed). reference-to-video takes 1 to 9 reference images. edit-video takes up to 5 guide images. a video_url makes it edit-video, which takes up to 5 guide images (assumed). aspect_ratio is for text-to-video and reference-to-video (assumed). audio_setting is for edit-video (assumed)."""

    # Scene, motion, style or requested edit (at least 1 characters)
    prompt: NotRequired[str]

    # The source video (edit-video) (URL of: video)
    video_url: NotRequired[File]

    # Workflow (the name is assumed)
    workflow_type: NotRequired[Literal["text-to-video", "image-to-video", "reference-to-video", "edit-video"]]

    # The source image (image-to-video) (URL of: image; the name is assumed)
    image_url: NotRequired[File]

    # Reference images (reference-to-video, 1 to 9); also takes the one image of a single-image request (at most 9 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Reference images (reference-to-video, 1 to 9) or guide images (edit-video, up to 5) (at most 9 entries; URLs of: image; the name is assumed)
    reference_image_urls: NotRequired[List[File]]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["720p", "1080p"]]

    # Aspect ratio (text-to-video and reference-to-video) (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "1:1", "4:3", "3:4"]]

    # Duration in seconds (3 to 15, whole; the name is assumed)
    duration: NotRequired[int]

    # Audio (edit-video); origin keeps the input video's audio (the name is assumed)
    audio_setting: NotRequired[Literal["auto", "origin"]]

    # Random seed (0 to 2147483647, whole; the name is assumed)
    seed: NotRequired[int]


class VideoEInput(TypedDict):
    """Video from a first frame, fast. 1080p supports only 6 seconds, and 10 seconds work only at 768p."""

    # What happens in the video
    prompt: str

    # The first frame image (URL of: image)
    first_frame_url: File

    # Duration in seconds; 10 seconds only at 768p (above 0; the name is assumed)
    duration: NotRequired[float]

    # Resolution; 1080p supports only 6 seconds (the name is assumed)
    resolution: NotRequired[Literal["768p", "1080p"]]

    # Whether the prompt is optimized first (the name is assumed)
    prompt_optimizer: NotRequired[bool]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class VideoFInput(TypedDict):
    """Video from a first frame."""

    # The first frame image (URL of: image)
    first_frame_url: File

    # What happens in the video
    prompt: str

    # Random seed (the name is assumed)
    seed: NotRequired[int]

    # Duration of the output in seconds (above 0; the name is assumed)
    duration: NotRequired[float]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class VideoGInput(TypedDict):
    """Video from text and an optional first frame."""

    # What happens in the video
    prompt: str

    # The first frame image (URL of: image)
    first_frame_url: NotRequired[File]

    # Duration of the output in seconds (above 0; the name is assumed)
    duration: NotRequired[float]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class LipSyncHInput(TypedDict):
    """Lip sync of a video to an audio track."""

    # The source video (URL of: video)
    video_url: File

    # The source audio (URL of: audio)
    audio_url: File

    # Quality tier (the name is assumed)
    quality: NotRequired[Literal["standard", "pro"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class VideoIInput(TypedDict):
    """Video from text or references, turbo. background music is only for 4-second videos."""

    # What happens in the video (at most 3000 characters)
    prompt: str

    # Random seed; null or omitted gives a random one (the name is assumed)
    seed: NotRequired[Union[int, None]]

    # Duration in seconds (2 to 8; the name is assumed)
    duration: NotRequired[float]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["720p", "1080p"]]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "1:1"]]

    # Reference images (reference-to-video) (URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # How much moves (the name is assumed)
    movement_amplitude: NotRequired[Literal["auto", "small", "medium", "large"]]

    # Background music; only for 4-second videos (the name is assumed)
    bgm: NotRequired[bool]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class VideoJInput(TypedDict):
    """Video with audio. background music is only for 4-second videos."""

    # What happens in the video (at most 3000 characters)
    prompt: str

    # Random seed (the name is assumed)
    seed: NotRequired[int]

    # Duration in seconds (1 to 16; the name is assumed)
    duration: NotRequired[float]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["360p", "540p", "720p", "1080p"]]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "1:1"]]

    # The input image (URL of: image; the name is assumed)
    image_url: NotRequired[File]

    # Audio and video output capability; the allowed values are not known (the name is assumed)
    audio: NotRequired[Any]

    # Background music; only for 4-second videos (the name is assumed)
    bgm: NotRequired[bool]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class VideoKInput(TypedDict):
    """Video, lite, with a frames mode. first and last frame are for the frames mode (assumed)."""

    # What happens in the video
    prompt: str

    # Generation mode (the name is assumed)
    mode: NotRequired[Literal["text-image", "frames"]]

    # The input image (URL of: image; the name is assumed)
    image_url: NotRequired[File]

    # Input images (URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # The first frame image (frames mode) (URL of: image; the name is assumed)
    first_frame_url: NotRequired[File]

    # The last frame image (frames mode) (URL of: image; the name is assumed)
    last_frame_url: NotRequired[File]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["720p", "1080p"]]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16"]]

    # What to exclude (the name is assumed)
    negative_prompt: NotRequired[str]

    # Random seed; omitted gives a random one (the name is assumed)
    seed: NotRequired[int]

    # Whether a prompt that moderation would refuse is rewritten (the name is assumed)
    auto_fix: NotRequired[bool]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageLInput(TypedDict):
    """Image, general text-to-image and image-to-image."""

    # What the image shows
    prompt: str

    # Aspect ratio; match_input_image matches the first input image (the name is assumed)
    aspect_ratio: NotRequired[Literal["1:1", "16:9", "3:2", "2:3", "4:5", "5:4", "9:16", "3:4", "4:3", "match_input_image"]]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["1K", "2K", "4K"]]

    # Input images (jpeg, png, gif or webp) (at most 4 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageMInput(TypedDict):
    """Image with web knowledge."""

    # What the image shows
    prompt: str

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["1K", "2K", "4K"]]

    # Input images (at most 14 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["1:1", "2:3", "3:2", "3:4", "4:3", "4:5", "5:4", "9:16", "16:9", "21:9"]]

    # Whether the model may use current information from the web (the name is assumed)
    enable_web_search: NotRequired[bool]

    # Output format (the name is assumed)
    output_format: NotRequired[Literal["jpeg", "png", "webp"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageNInput(TypedDict):
    """Image with elements. an @Image<number> in the prompt names an image of image_urls, counted from 1; a bare @Image needs exactly one (assumed)."""

    # What the image shows; @Image1, @Image2, … name the reference images (@Image if there is one) (at most 2500 characters)
    prompt: str

    # Reference images, 1-indexed in the prompt (at most 10 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Elements of the image (the name is assumed)
    elements: NotRequired[List[dict[str, Any]]]

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["1K", "2K"]]

    # Aspect ratio; auto decides from the input (the name is assumed)
    aspect_ratio: NotRequired[Literal["auto", "16:9", "9:16", "1:1", "4:3", "3:4", "3:2", "2:3", "21:9"]]

    # Output format (the name is assumed)
    output_format: NotRequired[Literal["jpeg", "png", "webp"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageOInput(TypedDict):
    """Image with an optional input image."""

    # What the image shows
    prompt: str

    # The input image (image-to-image) (URL of: image; the name is assumed)
    image_url: NotRequired[File]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["1:1", "2:3", "3:2", "3:4", "4:3", "9:16", "16:9"]]

    # Output format (the name is assumed)
    output_format: NotRequired[Literal["jpg", "png", "webp"]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImagePInput(TypedDict):
    """Image with reference images."""

    # What the image shows
    prompt: str

    # Resolution (the name is assumed)
    resolution: NotRequired[Literal["720p", "1080p"]]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["16:9", "9:16", "4:3", "3:4", "1:1", "21:9"]]

    # Reference images (at most 3 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class UpscaleQInput(TypedDict):
    """Image upscaling."""

    # The source image (URL of: image)
    image_url: File

    # 2 doubles width and height; the output goes up to 4K (above 0; default: 2)
    upscale_factor: NotRequired[float]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageRInput(TypedDict):
    """Image with a negative prompt."""

    # What the image shows
    prompt: str

    # Input images (URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # Random seed (the name is assumed)
    seed: NotRequired[int]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3"]]

    # Output format (the name is assumed)
    output_format: NotRequired[Literal["webp", "jpeg", "png"]]

    # What to exclude (the name is assumed)
    negative_prompt: NotRequired[str]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]


class ImageSInput(TypedDict):
    """Image generation and edit. edit mode (with reference images) makes up to 4 images, text mode up to 5."""

    # What the image shows, or the edit; Chinese or English (1 to 2000 characters)
    prompt: str

    # Reference images, each at least 384x384 pixels; when given, the model edits (1 to 4 entries; URLs of: image; the name is assumed)
    image_urls: NotRequired[List[File]]

    # What to exclude (at most 500 characters; the name is assumed)
    negative_prompt: NotRequired[str]

    # Aspect ratio (the name is assumed)
    aspect_ratio: NotRequired[Literal["1:1", "3:4", "9:16", "4:3", "16:9"]]

    # Random seed (0 to 2147483647, whole; the name is assumed)
    seed: NotRequired[int]

    # Number of images; text mode up to 5, edit mode up to 4 (1 to 5, whole; the name is assumed)
    num_images: NotRequired[int]

    # Number of results (1 to 4, whole; the name is assumed)
    n: NotRequired[int]
