import type { experimental_generateSpeech, experimental_generateVideo, generateImage } from 'ai';

/** The interfaces of the AI SDK that our models are of, in version 3: versions 6 and 7 of `ai` take them. */
type Version3 = { readonly specificationVersion: 'v3' };
export type ImageModel = Extract<Parameters<typeof generateImage>[0]['model'], Version3>;
export type SpeechModel = Extract<Parameters<typeof experimental_generateSpeech>[0]['model'], Version3>;
type AnyVideoModel = Extract<Parameters<typeof experimental_generateVideo>[0]['model'], Version3>;
export type VideoModel = AnyVideoModel & Required<Pick<AnyVideoModel, 'doGenerate'>>;

export type ImageCall = Parameters<ImageModel['doGenerate']>[0];
export type SpeechCall = Parameters<SpeechModel['doGenerate']>[0];
export type VideoCall = Parameters<VideoModel['doGenerate']>[0];
export type Warning = Awaited<ReturnType<ImageModel['doGenerate']>>['warnings'][number];
/** A file that is sent along: its bytes, or where it is. */
export type GivenFile = NonNullable<ImageCall['files']>[number];
