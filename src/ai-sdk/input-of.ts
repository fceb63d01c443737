import { describeModel, type FieldDescription } from '../api/models/describe.ts';
import { MODELS, type ModelId } from '../api/models/registry.ts';
import type { GivenFile, ImageCall, SpeechCall, VideoCall, Warning } from './ai-types.ts';

/** What stands for a file in an input. */
export type FileOf = (file: GivenFile) => string | Blob;

/** A model's input, made of a call's options by the names of the model's fields. */
export class InputOf {
  readonly input: Record<string, unknown> = {};
  readonly warnings: Warning[] = [];
  readonly #fields: ReadonlyMap<string, FieldDescription>;
  readonly #model: ModelId;
  readonly #fileOf: FileOf;

  constructor(model: ModelId, fileOf: FileOf) {
    this.#model = model;
    this.#fileOf = fileOf;
    this.#fields = new Map(describeModel(MODELS[model]).fields.map((field) => [field.name, field]));
  }

  /** What stands for files in the input. */
  files(files: readonly GivenFile[] | undefined): unknown[] | undefined {
    return files?.map(this.#fileOf);
  }

  field(name: string): FieldDescription | undefined {
    return this.#fields.get(name);
  }

  /** Sets the first of these fields that the model has and that is still open; what it has none for is warned of. */
  set(option: string, value: unknown, ...names: string[]): void {
    if (value === undefined || (Array.isArray(value) && value.length === 0)) return;
    const name = names.find((one) => this.#fields.has(one) && !(one in this.input));
    if (name === undefined) return this.warn(option);
    const isList = this.#fields.get(name)?.type === 'array';
    const [first, ...more] = [value].flat();
    if (!isList && more.length > 0) this.warn(option, `${this.#model} takes one: the first is sent`);
    this.input[name] = isList ? [value].flat() : first;
  }

  /** @throws TypeError: what costs by it is not bought otherwise than it was said */
  refuse(option: string, details: string): never {
    throw new TypeError(`${option}: ${this.#model} ${details}`);
  }

  warn(option: string, details = `${this.#model} has no field for it`): void {
    this.warnings.push({ type: 'unsupported', feature: option, details });
  }
}

export function imageInput(model: ModelId, call: ImageCall, fileOf: FileOf): InputOf {
  const made = new InputOf(model, fileOf);
  made.set('prompt', call.prompt, 'prompt');
  made.set('aspectRatio', call.aspectRatio, 'aspect_ratio');
  made.set('seed', call.seed, 'seed');
  made.set('files', made.files(call.files), 'image_urls', 'image_url', 'input_image');
  if (call.size !== undefined) setSize(made, call.size);
  if (call.mask !== undefined) made.warn('mask');
  return made;
}

export function videoInput(model: ModelId, call: VideoCall, fileOf: FileOf): InputOf {
  const made = new InputOf(model, fileOf);
  made.set('prompt', call.prompt, 'prompt');
  made.set('aspectRatio', call.aspectRatio, 'aspect_ratio');
  made.set('duration', call.duration, 'duration');
  made.set('seed', call.seed, 'seed');
  made.set('fps', call.fps, 'fps');
  if (call.generateAudio === true) made.warn('generateAudio');
  if (call.resolution !== undefined) setResolution(made, call.resolution);
  const framed = (type: string): unknown =>
    made.files(call.frameImages?.filter(({ frameType }) => frameType === type).map(({ image }) => image));
  made.set('image', made.files(call.image && [call.image]), 'first_frame_url', 'image_url', 'image_urls');
  made.set('frameImages', framed('first_frame'), 'first_frame_url', 'image_url', 'image_urls');
  made.set('frameImages', framed('last_frame'), 'last_frame_url');
  made.set('inputReferences', made.files(call.inputReferences), 'reference_image_urls', 'image_urls');
  return made;
}

export function speechInput(model: ModelId, call: SpeechCall, fileOf: FileOf): InputOf {
  const made = new InputOf(model, fileOf);
  made.set('text', call.text, 'text');
  made.set('voice', call.voice, 'voice');
  made.set('instructions', call.instructions, 'prompt');
  made.set('outputFormat', call.outputFormat, 'output_format');
  made.set('speed', call.speed, 'speed');
  const { language } = call;
  // A code, or its name in English.
  if (language !== undefined && made.field('language') !== undefined)
    made.set('language', language === 'auto' ? 'Auto' : ENGLISH.of(language), 'language');
  else made.set('language', language, 'language_code');
  return made;
}

const ENGLISH = new Intl.DisplayNames('en', { type: 'language' });

/** `2048x1152` → `16:9` and `2K`, where the model has both. */
function setSize(made: InputOf, size: string): void {
  const [width = 0, height = 0] = size.split('x').map(Number);
  const aspect = choicesOf(made, 'aspect_ratio').find((ratio) => {
    const [across = 0, down = 0] = ratio.split(':').map(Number);
    return across * height === down * width;
  });
  const names = new Set([`${Math.max(width, height) / 1024}K`, `${Math.min(width, height)}p`]);
  const resolution = choicesOf(made, 'resolution').find((name) => names.has(name));
  if (aspect === undefined || resolution === undefined || (made.input['aspect_ratio'] ?? aspect) !== aspect)
    made.refuse('size', `has no way to say ${size}: say aspectRatio, and its own fields in ${INPUT}`);
  Object.assign(made.input, { aspect_ratio: aspect, resolution });
}

/** `1280x720` → `720p`, where the model has that. */
function setResolution(made: InputOf, resolution: string): void {
  const name = `${Math.min(...resolution.split('x').map(Number))}p`;
  if (!choicesOf(made, 'resolution').includes(name))
    made.refuse('resolution', `has no way to say ${resolution}: say its own fields in ${INPUT}`);
  made.set('resolution', name, 'resolution');
}

const INPUT = 'providerOptions.darkroom.input';

function choicesOf(made: InputOf, field: string): readonly string[] {
  return made.field(field)?.enum?.map(String) ?? [];
}
