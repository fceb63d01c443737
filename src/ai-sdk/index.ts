/**
 * `temporal-darkroom/ai-sdk`: Darkroom's models for the AI SDK (`ai` 6 and 7): `generateImage`, `experimental_generateVideo`,
 * `experimental_generateSpeech`. What they buy is bought once for its key, whatever is lost or killed on the way.
 */
import { DarkroomClient, type GenerationOptions } from '../client/index.ts';
import { type DarkroomModels, modelsOf } from './models.ts';

/** Of a model, or of one call as `providerOptions: { darkroom: … }`: those of a generation, and fields of its input. */
export interface DarkroomModelOptions
  extends Pick<GenerationOptions, 'key' | 'workspace' | 'policy' | 'tags' | 'priority' | 'callback'> {
  /** Fields of the model that the AI SDK has no option for: over what its options say. */
  input?: Record<string, unknown> | undefined;
}

export interface DarkroomProvider extends DarkroomModels<DarkroomModelOptions> {
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
  return {
    ...modelsOf<DarkroomModelOptions>({
      async generate(model, input, given, signal) {
        const { input: _, ...options } = given;
        return await (await connected()).generate(model, input, { ...options, signal });
      },
      async contentOf(output, signal) {
        const stream = (await connected()).open(output, { signal });
        return new Uint8Array(await new Response(stream).arrayBuffer());
      },
      fileOf(file) {
        if (file.type === 'url') return file.url;
        const { data, mediaType } = file;
        const bytes = typeof data === 'string' ? Buffer.from(data, 'base64') : new Uint8Array(data);
        return new Blob([bytes], { type: mediaType });
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
