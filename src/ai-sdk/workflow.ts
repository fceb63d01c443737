/**
 * `temporal-darkroom/ai-sdk/workflow`: Darkroom's models for the AI SDK inside of workflows. Each generation is a child
 * workflow, charged once for the workflow's id, as with `generate` of `temporal-darkroom/workflow`.
 *
 * Workflows hold no files: what the AI SDK hands out as an image's, a video's or a speech's bytes is the URI of the
 * stored file, as text. Imported before `ai`, which otherwise finds no `TransformStream` in a workflow.
 */
import './workflow-globals.ts';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { isFileReference } from '../api/input/file-references.ts';
import { type GenerateOptions, generate } from '../workflow/index.ts';
import { type DarkroomModels, modelsOf } from './models.ts';

/** Of a model, or of one call as `providerOptions: { darkroom: … }`: those of `generate`, and fields of its input. */
export interface DarkroomModelOptions
  extends Pick<GenerateOptions, 'key' | 'name' | 'taskQueue' | 'workspace' | 'policy' | 'tags'> {
  /** Fields of the model that the AI SDK has no option for: over what its options say. */
  input?: Record<string, unknown> | undefined;
}

/**
 * ```ts
 * const { image } = await generateImage({ model: darkroom.image('image-l'), prompt: 'a red fox' });
 * const uri = storedUri(image); // file:///…, s3://…
 * ```
 */
export const darkroom: DarkroomModels<DarkroomModelOptions> = modelsOf<DarkroomModelOptions>({
  async generate(model, input, given, signal) {
    const { input: _, ...options } = given;
    if (signal !== undefined)
      throw new TypeError('abortSignal: a workflow cancels what it waits for by a CancellationScope');
    return await generate(model, input, options);
  },
  contentOf: ({ stored }) => utf8ToBytes(stored.uri),
  fileOf(file) {
    if (file.type === 'url') return file.url;
    const uri = typeof file.data === 'string' ? '' : textOf(file.data);
    if (isFileReference(uri)) return uri;
    throw new TypeError('files: a workflow holds no bytes: send a URL, or what another call has made');
  },
});

/** The URI of the stored file that a call of the AI SDK has handed out. */
export function storedUri(file: { uint8Array: Uint8Array }): string {
  return textOf(file.uint8Array);
}

function textOf(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}
