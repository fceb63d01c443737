import { MODEL_IDS, MODELS, type ModelId } from '../../../src/api/models/registry.ts';
import { BEHAVIOUR } from './model-behaviour.ts';
import {
  change,
  made,
  modelRules,
  type Proof,
  type Row,
  registry,
  rendered,
  type Section,
  service,
  submitting,
} from './row.ts';

/** Tests of the rules between fields of a model. */
const RULES: Partial<Record<ModelId, Proof[]>> = {
  'video-d': modelRules(
    'video-d > takes in * only what belongs to that workflow',
    'video-d > takes 1 to 9 references, up to 5 guide images for an edit, and a single image as an alias',
  ),
  'video-e': modelRules('video-e > makes 10 seconds only at 768p, and only 6 seconds at 1080p'),
  'video-i': modelRules('video-i > has background music only for 4-second videos'),
  'video-j': modelRules('video-j > has background music only for 4-second videos'),
  'video-k': modelRules('video-k > takes a first and a last frame in the frames mode only'),
  'image-n': modelRules('image-n > accepts * image(s)', 'image-n > refuses * image(s)'),
  'image-s': modelRules('image-s > makes up to 5 images from text and up to 4 when it edits'),
};

/** What holds for every model alike. */
export const ALL_MODELS: Section = {
  heading: 'All models',
  rows: [
    {
      says: 'Nineteen models; the family gives the codes their prefix',
      mutant: change('src/api/models/image-l.ts', "family: 'image'", "family: 'video'"),
      about: MODEL_IDS.map((id) => `model ${id}`),
      proofs: registry(
        'the model registry > holds the nineteen models of the API specification, each under its own id and path',
        'the model registry > puts every model in the family that gives its error codes their prefix',
      ),
    },
    {
      says: '1..4 results, `n` in normalized inputs',
      mutant: change('src/api/models/fields.ts', "'Number of results', 1, 4", "'Number of results', 1, 5"),
      proofs: [
        ...registry('* > has the fields and limits of the API specification'),
        ...service(
          'submits > * > refuses each input just outside of a limit with INVALID_INPUT, and says which field',
        ),
        ...submitting('a task > keeps every field that was sent and gets the defaults beside them'),
        ...made(
          'the output of a task > of a video names its kind, its count and prompt, and the first of its assets as the primary one',
        ),
      ],
    },
    {
      says: 'Seeds have two ranges',
      mutant: change('src/api/models/fields.ts', '0, 2_147_483_647', '0, 2_147_483_648'),
      proofs: registry('* > has the fields and limits of the API specification'),
    },
    {
      says: 'Every model gives real media',
      mutant: change(
        'emulator/src/media/sound/render-speech.ts',
        'bytes: wavFile(samples, SPEECH_RATE)',
        'bytes: wavFile(samples, SPEECH_RATE).subarray(8)',
      ),
      proofs: rendered('* renders its example into a real file of its kind'),
    },
    {
      says: 'Most endpoints also take multipart/form-data',
      mutant: change(
        'emulator/src/api/read-input.ts',
        '/^multipart\\/form-data\\b/i.test(contentType)',
        'false',
      ),
      proofs: service(
        'requests > a form > of any model means the same as the JSON',
        'requests > a form > with a field that no model has is refused by its name, whatever the name',
      ),
    },
  ],
};

/** Everything about one model but its fields. */
export function rowsOfModel(id: ModelId): Row[] {
  return [...rulesOfModel(id), ...(BEHAVIOUR[id] ?? [])];
}

/** The rules between its fields. */
export function rulesOfModel(id: ModelId): Row[] {
  return MODELS[id].rules.map(({ says }) => ({
    says,
    proofs: RULES[id] ?? [],
    mutant: change(
      'src/api/models/rule.ts',
      'return rules.flatMap(',
      `return rules.filter((rule) => rule.says !== ${JSON.stringify(says)}).flatMap(`,
    ),
  }));
}

/** The tests that try every field of a model at its limits and just outside of them. */
export function fieldProofs(id: ModelId): Proof[] {
  return [
    ...registry(
      `${id} > has the fields and limits of the API specification`,
      `${id} > accepts its minimal and maximal inputs, each field at its limits, and nothing just outside of them`,
    ),
    ...service(
      `submits > ${id} > accepts its minimal and maximal inputs and each field at its limits, and keeps what was sent`,
      `submits > ${id} > refuses each input just outside of a limit with INVALID_INPUT, and says which field`,
    ),
  ];
}
