import type { ModelId } from '../../../src/api/models/registry.ts';
import {
  accounts,
  change,
  effects,
  files,
  images,
  inputFormats,
  made,
  modelRules,
  type Row,
  registry,
  rendered,
  service,
  sizes,
  speech,
  videos,
} from './row.ts';

/** What the API specification says about single models beyond fields and limits. */
export const BEHAVIOUR: Partial<Record<ModelId, Row[]>> = {
  'speech-a': [
    {
      says: 'Speaks the text, in the language asked for',
      mutant: change(
        'emulator/src/media/sound/render-speech.ts',
        'speechLanguage(language, spoken)',
        'speechLanguage(undefined, spoken)',
      ),
      proofs: speech(
        'speech > can be heard, in a real container, and says how long it is',
        'speech > for * is in *',
        'speech > repeats for the same request and differs by text, voice and language',
      ),
    },
  ],
  'speech-b': [
    {
      says: 'Word timestamps on request',
      mutant: change(
        'emulator/src/media/renderings.ts',
        "input.flag('timestamps') ?",
        "input.flag('times') ?",
      ),
      proofs: [
        ...speech('word timings > name every word once, in order, within the sound'),
        ...rendered('speech-b has timestamps for each word when they are asked for'),
      ],
    },
    {
      says: 'Speaks the language of its code',
      mutant: change('emulator/src/media/renderings.ts', "language: 'language_code'", "language: 'language'"),
      proofs: effects(
        'what a specification says of a model alone > speech-b speaks the language of its code, as speech-a that of its name',
      ),
    },
    {
      says: '`auto` detects the language',
      mutant: change(
        'emulator/src/media/sound/speech-languages.ts',
        "SCRIPTS.find(([script]) => script.test(text))?.[1] ?? 'en'",
        "'en'",
      ),
      proofs: speech('speech > for auto and * is in *'),
    },
    {
      says: 'Length counts characters',
      mutant: change('src/api/models/fields.ts', 'characterCount(value);', 'value.length;'),
      proofs: registry(
        'speech-b > accepts its minimal and maximal inputs, each field at its limits, and nothing just outside of them',
      ),
    },
  ],
  'face-swap-c': [
    {
      says: 'Returns image output',
      mutant: change(
        'emulator/src/media/picture/render-face-swap.ts',
        "decodeImage(inputImage, 'input image')",
        "decodeImage(swapImage, 'input image')",
      ),
      proofs: [
        ...images('a face swap > keeps the input picture around a patch of the swap picture'),
        ...service('submits > face-swap-c > completes with an output of its kind'),
      ],
    },
    {
      says: 'Also takes multipart/form-data',
      mutant: change('emulator/src/api/form-input.ts', 'await upload(value)', 'value.name'),
      proofs: service('requests > a form > may hold files'),
    },
    {
      says: 'One model has a version suffix; assumed this one',
      mutant: change('src/api/models/face-swap-c.ts', '  versioned: true,\n', ''),
      proofs: service(
        'requests > a path > of the versioned model ends in :<version_id>, also percent-encoded',
      ),
    },
  ],
  'video-d': [
    {
      says: 'No field is required: which workflow needs which is not shown',
      mutant: change(
        'src/api/models/video-d.ts',
        "prompt: optional(prompt('Scene, motion, style or requested edit', { min: 1 })),",
        "prompt: prompt('Scene, motion, style or requested edit', { min: 1 }),",
      ),
      proofs: modelRules(
        'video-d > requires no field, because the API specification does not show which workflow needs which',
      ),
    },
    {
      says: "Edits a video; `origin` keeps the input video's audio",
      mutant: change(
        'emulator/src/media/video/render-video-edit.ts',
        "await readAudio(request.video, 'source video', duration)",
        'undefined',
      ),
      proofs: [
        ...videos(
          'videos made from videos > an edit keeps the frames, cut to the duration, under the title of its prompt',
        ),
        ...effects(
          'what a specification says of a model alone > an edit of video-d keeps the sound of its video (*)',
        ),
      ],
    },
  ],
  'video-f': [
    {
      says: 'First frame required; 0.05 USD per output second',
      mutant: change(
        'src/api/models/video-f.ts',
        "url('The first frame image')",
        "url('The first frame image').optional()",
      ),
      proofs: [
        ...registry(
          'video-f > has the fields and limits of the API specification',
          'the model registry > knows prices, outputs and seeds where the API specification does',
        ),
        ...accounts('credits > for videos priced by the second follow duration and count'),
      ],
    },
  ],
  'video-g': [
    {
      says: 'First frame optional, no seed; 0.05 USD per output second',
      mutant: change(
        'src/api/models/video-g.ts',
        "optional(url('The first frame image'))",
        "url('The first frame image')",
      ),
      proofs: registry(
        'video-g > has the fields and limits of the API specification',
        'the model registry > knows prices, outputs and seeds where the API specification does',
      ),
    },
  ],
  'lip-sync-h': [
    {
      says: 'Puts the audio to the video',
      mutant: change(
        'emulator/src/media/video/render-lip-sync.ts',
        "readAudio(audio, 'source audio', duration)",
        "readAudio(video, 'source audio', duration)",
      ),
      proofs: videos(
        'videos made from videos > lip sync keeps the frames and takes the given sound, as long as the shorter of the two',
      ),
    },
  ],
  'video-i': [
    {
      says: 'A seed of null or none gives a random seed',
      mutant: change(
        'src/api/models/video-i.ts',
        "z.nullable(seed53('Random seed; null or omitted gives a random one'))",
        "seed53('Random seed; null or omitted gives a random one')",
      ),
      proofs: [
        ...registry('video-i > has the fields and limits of the API specification'),
        ...made(
          'the output of a task > has the seed that was asked for; with null or none it has one of its own, another for each task',
        ),
      ],
    },
  ],
  'video-j': [
    {
      says: 'A video with audio',
      mutant: change(
        'emulator/src/media/renderings.ts',
        "firstFrame: ['image_url'], audio: true }",
        "firstFrame: ['image_url'] }",
      ),
      proofs: effects(
        'what a specification says of a model alone > video-j always has sound; video-e has none',
      ),
    },
  ],
  'video-k': [
    {
      says: 'Goes from the first frame to the last',
      mutant: change(
        'emulator/src/media/renderings.ts',
        "lastFrame: 'last_frame_url',",
        "lastFrame: 'first_frame_url',",
      ),
      proofs: effects(
        'what a specification says of a model alone > video-k begins as its first frame and ends as its last one',
      ),
    },
  ],
  'image-l': [
    {
      says: 'Input images are jpeg, png, gif or webp',
      mutant: change('emulator/src/media/picture/decode-image.ts', "'gif', 'webp']", "'webp']"),
      proofs: inputFormats(
        'image-l takes a picture in *',
        'image-l takes no picture in *',
        'image-l takes no drawing',
      ),
    },
    {
      says: '`match_input_image` matches the first input image; results and resolution are as asked for',
      mutant: change('emulator/src/media/dimensions.ts', '? inputRatio(input) :', '? 1 :'),
      proofs: [
        ...rendered('image-l makes as many images as asked for, in the shape of its first input image'),
        ...sizes(
          'the size of an output > follows the input picture where that is asked for, and is square without one',
        ),
      ],
    },
  ],
  'image-m': [
    {
      says: 'The output format is the one asked for',
      mutant: change(
        'emulator/src/media/renderings.ts',
        "FORMATS[input.text('output_format') ?? 'png'] ?? 'png'",
        "'png'",
      ),
      proofs: [
        ...rendered('image-* makes a *'),
        ...images('a generated image > comes as * in the asked size'),
      ],
    },
  ],
  'image-n': [
    {
      says: 'Prompt references with `elements` are left to the API',
      mutant: change(
        'src/api/models/image-references.ts',
        'if (!Array.isArray(elements) || elements.length > 0) return undefined;',
        'if (!Array.isArray(elements)) return undefined;',
      ),
      proofs: modelRules('image-n > leaves references to the API where elements bring images of their own'),
    },
  ],
  'image-o': [
    {
      says: 'Is made from its input image',
      mutant: change(
        'emulator/src/media/renderings.ts',
        "'image-o': (context) => image(context, { references: ['image_url'] })",
        "'image-o': (context) => image(context, { references: [] })",
      ),
      proofs: effects(
        'what a specification says of a model alone > image-o is made from its picture: it has the colour of that',
      ),
    },
  ],
  'upscale-q': [
    {
      says: 'Factor 2 by default, doubling width and height; output up to 4K',
      mutant: change('emulator/src/media/renderings.ts', "input.number('upscale_factor') ?? 2", '2'),
      proofs: [
        ...registry('upscale-q > has the fields and limits of the API specification'),
        ...effects(
          'what a specification says of a model alone > upscale-q doubles by default, and goes by its factor up to the largest side',
        ),
        ...files(
          'an image is upscaled from its URL, and rendering counts towards the task, not on top of it',
        ),
        ...images(
          'upscaling > doubles a * and keeps its format and content',
          'upscaling > stops at 4096 pixels on the longest side',
        ),
      ],
    },
  ],
  'image-s': [
    {
      says: 'Reference images are at least 384x384 pixels',
      mutant: change('emulator/src/media/check-input-files.ts', "'image-s': 384", "'image-s': 1"),
      proofs: rendered(
        'image-s fails for a reference image below 384 pixels, and edits one that is large enough',
      ),
    },
    {
      says: 'Makes up to 5 images',
      mutant: change(
        'emulator/src/tasks/input-meaning.ts',
        "input['num_images'] ?? input['n']",
        "input['n']",
      ),
      proofs: rendered('image-s makes five images from text'),
    },
  ],
};
