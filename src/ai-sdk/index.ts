/**
 * `temporal-darkroom/ai-sdk`: Darkroom's models for the AI SDK (`ai` 6 and 7): `generateImage`, `experimental_generateVideo`,
 * `experimental_generateSpeech`. What they buy is bought once for its key, whatever is lost or killed on the way.
 */
import { findModel, type ModelId } from '../api/models/registry.ts';
import { DarkroomClient, type GenerationOptions, type ModelResult } from '../client/index.ts';
import type { ImageModel, SpeechModel, VideoModel } from './ai-types.ts';
import { type InputOf, imageInput, speechInput, videoInput } from './input-of.ts';

/** Of a model, or of one call as `providerOptions: { darkroom: … }`: those of a generation, and fields of its input. */
export interface DarkroomModelOptions
  extends Pick<GenerationOptions, 'key' | 'workspace' | 'policy' | 'tags' | 'priority' | 'callback'> {
  /** Fields of the model that the AI SDK has no option for: over what its options say. */
  input?: Record<string, unknown> | undefined;
}

export interface DarkroomProvider {
  image(model: ModelId, options?: DarkroomModelOptions): ImageModel;
  video(model: ModelId, options?: DarkroomModelOptions): VideoModel;
  speech(model: ModelId, options?: DarkroomModelOptions): SpeechModel;
  /** Closes the connection that the first call has made by the environment; a client that was given stays open. */
  close(): Promise<void>;
}

/**
 * ```ts
 * const { image } = await generateImage({ model: darkroom.image('image-l', { key: order.id }), prompt: 'a red fox' });
 * ```
 *
 * @param client one of your own; absent: it is connected as the environment says, with the first call
 */
export function createDarkroom(client?: DarkroomClient): DarkroomProvider {
  let own: Promise<DarkroomClient> | undefined;
  const connected = async (): Promise<DarkroomClient> => {
    if (client !== undefined) return client;
    own ??= DarkroomClient.connect();
    own.catch(() => (own = undefined)); // the next call may have more luck
    return await own;
  };
  const frame = (modelId: ModelId) =>
    ({ specificationVersion: 'v3', provider: 'darkroom', modelId }) as const;
  return {
    image: (model, options = {}) => ({
      ...frame(known(model, 'image')),
      maxImagesPerCall: ANY,
      async doGenerate(call) {
        const made = imageInput(model, call);
        const { files, about } = await buy(await connected(), model, made, call, options);
        return {
          images: await Promise.all(files.map(bytesOf)),
          warnings: made.warnings,
          providerMetadata: { darkroom: { images: about } },
          response: responseOf(model),
        };
      },
    }),
    video: (model, options = {}) => ({
      ...frame(known(model, 'video')),
      maxVideosPerCall: ANY,
      async doGenerate(call) {
        const made = videoInput(model, call);
        const { files, about } = await buy(await connected(), model, made, call, options);
        const videos = files.map(async (file) => {
          const mediaType = file.contentType ?? 'video/mp4';
          return { type: 'binary', data: await bytesOf(file), mediaType } as const;
        });
        return {
          videos: await Promise.all(videos),
          warnings: made.warnings,
          providerMetadata: { darkroom: { videos: about } },
          response: responseOf(model),
        };
      },
    }),
    speech: (model, options = {}) => ({
      ...frame(known(model, 'audio')),
      async doGenerate(call) {
        const made = speechInput(model, call);
        const { files, about } = await buy(await connected(), model, made, { ...call, n: 1 }, options);
        const [file] = files;
        if (file === undefined) throw new Error(`${model} has made no file`);
        return {
          audio: await bytesOf(file),
          warnings: made.warnings,
          providerMetadata: { darkroom: { audios: about } },
          response: { timestamp: new Date(), modelId: model },
        };
      },
    }),
    async close() {
      await (await own)?.close();
      own = undefined;
    },
  };
}

/** The provider that connects as the environment says, with its first call. */
export const darkroom: DarkroomProvider = createDarkroom();

/** The AI SDK makes several calls of one that is larger, all with the same options: their keys would be one. */
const ANY = Number.MAX_SAFE_INTEGER;

interface Call {
  n: number;
  abortSignal?: AbortSignal | undefined;
  providerOptions?: Record<string, Record<string, unknown>> | undefined;
}

interface File {
  contentType: string | null;
  read: () => ReadableStream<Uint8Array>;
}

/** Generations enough for `n` files, side by side. The second one's key is the given one with `.2` after it. */
async function buy(
  client: DarkroomClient,
  model: ModelId,
  made: InputOf,
  { n, abortSignal, providerOptions }: Call,
  options: DarkroomModelOptions,
): Promise<{ files: File[]; about: About[] }> {
  // As its caller writes it; what is wrong in it, the client refuses.
  const given: DarkroomModelOptions = providerOptions?.['darkroom'] ?? {};
  const { key, input: _, ...settings } = { ...options, ...given };
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
    return await client.generate(model, seeded(whole, index, made.field('seed')?.maximum), {
      ...settings,
      key: key === undefined || index === 0 ? key : `${key}.${index + 1}`,
      signal: abortSignal,
    });
  });
  const bought = await allOf(generations);
  const outputs = bought.flatMap(({ outputs }) => outputs).slice(0, n);
  return {
    files: outputs.map((output) => ({
      contentType: output.contentType,
      read: () => client.open(output, { signal: abortSignal }),
    })),
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
  return outputs.map(({ url, width, height, duration, stored }, index) => ({
    taskId,
    url,
    stored: stored.uri,
    width,
    height,
    duration,
    ...(index === 0 ? { credits: usage.total } : {}),
  }));
}

async function bytesOf({ read }: File): Promise<Uint8Array> {
  return new Uint8Array(await new Response(read()).arrayBuffer());
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
