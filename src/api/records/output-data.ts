/**
 * The objects that the API gives as a completed task's `data`, as its specification has them: types for those who read
 * them. Nothing is checked by these (`outputAssets` takes any shape), and further properties are allowed everywhere.
 */

interface FileAsset {
  url: string;
  file_name?: string;
  content_type?: string;
  [property: string]: unknown;
}

export interface ImageAsset extends FileAsset {
  /** Pixels. */
  width?: number | null;
  height?: number | null;
}

export interface VideoAsset extends ImageAsset {
  /** Bytes. */
  file_size?: number | null;
  /** Seconds. */
  duration?: number | null;
}

interface Made {
  /** How many results there are. */
  n?: number;
  seed?: number;
  /** The prompt that was used, where it was rewritten. */
  actual_prompt?: string;
  [property: string]: unknown;
}

export interface ImageData extends Made {
  type?: 'image';
  images?: ImageAsset[];
  /** The first one. */
  image?: ImageAsset;
}

export interface VideoData extends Made {
  type?: 'video';
  /** At least one. */
  videos: VideoAsset[];
  /** The first one. */
  video?: VideoAsset;
}

/** The specification shows no such object: this one is assumed, like that of a video. */
export interface AudioData extends Made {
  type?: 'audio';
  audios?: (FileAsset & { duration?: number | null })[];
  audio?: FileAsset & { duration?: number | null };
}

interface DataByKind {
  image: ImageData;
  video: VideoData;
  audio: AudioData;
}

/** A `data` object by what its files are. */
export type OutputData<Kind extends keyof DataByKind> = DataByKind[Kind];
