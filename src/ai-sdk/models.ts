import { findModel, type ModelId } from '../api/models/registry.ts';
import type { GenerationOutput } from '../contract/generation.ts';
import type { ModelResult } from '../contract/steps/model-result.ts';
import type { ImageModel, SpeechModel, VideoModel } from './ai-types.ts';
import { type FileOf, type InputOf, imageInput, speechInput, videoInput } from './input-of.ts';

/** What the options of all models have. */
export interface ModelOptions {
  key?: string | undefined;
  name?: string | undefined;
  input?: Record<string, unknown> | undefined;
}

export interface DarkroomModels<Options> {
  image(model: ModelId, options?: Options): ImageModel;
  video(model: ModelId, options?: Options): VideoModel;
  speech(model: ModelId, options?: Options): SpeechModel;
}

/** How generations are made where the models are used. */
export interface Lab<Options> {
  generate(
    model: ModelId,
    input: Record<string, unknown>,
    options: Options,
    signal: AbortSignal | undefined,
  ): Promise<ModelResult>;
  /** What the AI SDK is handed as an output's file. */
  contentOf(output: GenerationOutput, signal: AbortSignal | undefined): Promise<Uint8Array> | Uint8Array;
  /** What stands for a file that is sent along. */
  fileOf: FileOf;
}

/** The models for the AI SDK. */
export function modelsOf<Options extends ModelOptions>(lab: Lab<Options>): DarkroomModels<Options> {
  const none = {} as Options; // each of its fields may be absent
  const frame = (modelId: ModelId) =>
    ({ specificationVersion: 'v3', provider: 'darkroom', modelId }) as const;
  return {
    image: (model, options = none) => ({
      ...frame(known(model, 'image')),
      maxImagesPerCall: ANY,
      async doGenerate(call) {
        const made = imageInput(model, call, lab.fileOf);
        const { files, about } = await buy(lab, model, made, call, options);
        return {
          images: files.map(({ data }) => data),
          warnings: made.warnings,
          providerMetadata: { darkroom: { images: about } },
          response: responseOf(model),
        };
      },
    }),
    video: (model, options = none) => ({
      ...frame(known(model, 'video')),
      maxVideosPerCall: ANY,
      async doGenerate(call) {
        const made = videoInput(model, call, lab.fileOf);
        const { files, about } = await buy(lab, model, made, call, options);
        return {
          videos: files.map(({ data, mediaType }) => ({
            type: 'binary',
            data,
            mediaType: mediaType ?? 'video/mp4',
          })),
          warnings: made.warnings,
          providerMetadata: { darkroom: { videos: about } },
          response: responseOf(model),
        };
      },
    }),
    speech: (model, options = none) => ({
      ...frame(known(model, 'audio')),
      async doGenerate(call) {
        const made = speechInput(model, call, lab.fileOf);
        const { files, about } = await buy(lab, model, made, { ...call, n: 1 }, options);
        const [file] = files;
        if (file === undefined) throw new Error(`${model} has made no file`);
        return {
          audio: file.data,
          warnings: made.warnings,
          providerMetadata: { darkroom: { audios: about } },
          response: { timestamp: new Date(), modelId: model },
        };
      },
    }),
  };
}

/** The AI SDK makes several calls of one that is larger, all with the same options: their keys would be one. */
const ANY = Number.MAX_SAFE_INTEGER;

interface Call {
  n: number;
  abortSignal?: AbortSignal | undefined;
  providerOptions?: Record<string, Record<string, unknown>> | undefined;
}

interface File {
  mediaType: string | null;
  data: Uint8Array;
}

/** Generations enough for `n` files, side by side. The second one's key is the given one with `.2` after it. */
async function buy<Options extends ModelOptions>(
  lab: Lab<Options>,
  model: ModelId,
  made: InputOf,
  { n, abortSignal, providerOptions }: Call,
  options: Options,
): Promise<{ files: File[]; about: About[] }> {
  // As its caller writes it; what is wrong in it, the generation refuses.
  const given = (providerOptions?.['darkroom'] ?? {}) as Options;
  const settings = { ...options, ...given };
  const counter = ['n', 'num_images'].find((name) => made.field(name) !== undefined);
  if (counter !== undefined && counter in { ...options.input, ...given.input })
    throw new TypeError(`input.${counter}: how many is said by the AI SDK's own option n`);
  const most = counter === undefined ? 1 : (made.field(counter)?.maximum ?? 1);
  const generations = Array.from({ length: Math.ceil(n / most) }, async (_, index) => {
    const count = Math.min(most, n - index * most);
    const whole = {
      ...made.input,
      ...(counter === undefined || count === 1 ? {} : { [counter]: count }),
      ...options.input,
      ...given.input,
    };
    const input = seeded(whole, index, made.field('seed')?.maximum);
    const nth = (id: string | undefined) => (id === undefined || index === 0 ? id : `${id}.${index + 1}`);
    return await lab.generate(
      model,
      input,
      { ...settings, key: nth(settings.key), name: nth(settings.name) },
      abortSignal,
    );
  });
  const bought = await allOf(generations);
  const outputs = bought.flatMap(({ outputs }) => outputs).slice(0, n);
  return {
    files: await Promise.all(
      outputs.map(async (output) => ({
        mediaType: output.contentType,
        data: await lab.contentOf(output, abortSignal),
      })),
    ),
    about: bought.flatMap(aboutOf).slice(0, n),
  };
}

/** The second generation of a call has another seed: with the same it would make the same files again. */
function seeded(
  input: Record<string, unknown>,
  index: number,
  most = Number.MAX_SAFE_INTEGER,
): Record<string, unknown> {
  const { seed } = input;
  if (typeof seed !== 'number' || index === 0) return input;
  return { ...input, seed: seed + index <= most ? seed + index : seed - index };
}

/** @throws the first error, which names the tasks of the others: they are paid for */
async function allOf(generations: Promise<ModelResult>[]): Promise<ModelResult[]> {
  const ended = await Promise.allSettled(generations);
  const bought = ended.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  const failed = ended.find((one) => one.status === 'rejected');
  if (failed === undefined) return bought;
  const error: unknown = failed.reason;
  if (error instanceof Error && bought.length > 0)
    error.message += `; others of this call are bought: ${bought.map(({ taskId }) => taskId).join(', ')}`;
  throw error;
}

type About = ReturnType<typeof aboutOf>[number];

/**
 * What the AI SDK hands on of each file as `providerMetadata`. The credits are the task's, so that they stand with its first
 * file alone: of pictures the SDK hands on nothing else of a call.
 */
function aboutOf({ taskId, usage, outputs }: ModelResult) {
  return outputs.map(({ url, contentType, width, height, duration, stored }, index) => ({
    taskId,
    url,
    stored: stored.uri,
    contentType,
    width,
    height,
    duration,
    ...(index === 0 ? { credits: usage.total } : {}),
  }));
}

function responseOf(modelId: ModelId) {
  return { timestamp: new Date(), modelId, headers: undefined };
}

/** @throws TypeError for a model that makes something else */
function known(id: ModelId, output: 'image' | 'video' | 'audio'): ModelId {
  const model = findModel(id);
  if (model?.output === output) return id;
  throw new TypeError(
    model === undefined ? `there is no model ${id}` : `${id} makes ${model.output}, not ${output}`,
  );
}
