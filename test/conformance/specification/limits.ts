import type { ModelId } from '../../../src/api/models/registry.ts';
import {
  accounts,
  change,
  modelRules,
  type Proof,
  payload,
  receiver,
  registry,
  type Section,
  service,
  signature,
} from './row.ts';

/** The tests that hold the contract and the service to the limits of these models. */
function limitsOf(...ids: ModelId[]): Proof[] {
  return ids.flatMap((id) => [
    ...registry(`${id} > has the fields and limits of the API specification`),
    ...service(
      `submits > ${id} > refuses each input just outside of a limit with INVALID_INPUT, and says which field`,
    ),
  ]);
}

/** The chapter "Limits", row by row; the fields' own tables above say how each value is tried. */
export const LIMITS: Section = {
  heading: 'Limits',
  rows: [
    {
      says: 'Number of results: 1..4',
      mutant: change('src/api/models/fields.ts', "'Number of results', 1, 4", "'Number of results', 0, 4"),
      proofs: limitsOf('image-l', 'video-f', 'lip-sync-h', 'upscale-q'),
    },
    {
      says: 'Speech Model B text: 1..5000 characters',
      mutant: change('src/api/models/speech-b.ts', 'max: 5000', 'max: 5001'),
      proofs: limitsOf('speech-b'),
    },
    {
      says: 'Speech Model A codec tokens: 1..8192',
      mutant: change('src/api/models/speech-a.ts', '1, 8192', '1, 8193'),
      proofs: limitsOf('speech-a'),
    },
    {
      says: 'Prompt of Models I and J: at most 3000 characters',
      mutant: change('src/api/models/video-j.ts', 'max: 3000', 'max: 3001'),
      proofs: limitsOf('video-i', 'video-j'),
    },
    {
      says: 'Prompt of Model N: at most 2500 characters',
      mutant: change('src/api/models/image-n.ts', 'max: 2500', 'max: 2501'),
      proofs: limitsOf('image-n'),
    },
    {
      says: 'Prompt of Model S: 1..2000, negative prompt at most 500',
      mutant: change('src/api/models/image-s.ts', 'max: 500', 'max: 501'),
      proofs: limitsOf('image-s'),
    },
    {
      says: 'Reference images: D 9 (5 guide images), L 4, M 14, N 10, P 3, S 1..4',
      mutant: change('src/api/models/image-p.ts', 'max: 3 }', 'max: 4 }'),
      proofs: [
        ...limitsOf('video-d', 'image-l', 'image-m', 'image-n', 'image-p', 'image-s'),
        ...modelRules(
          'video-d > takes 1 to 9 references, up to 5 guide images for an edit, and a single image as an alias',
        ),
      ],
    },
    {
      says: 'Duration: D 3..15 s, I 2..8 s, J 1..16 s',
      mutant: change('src/api/models/video-j.ts', '1, 16', '1, 17'),
      proofs: limitsOf('video-d', 'video-i', 'video-j'),
    },
    {
      says: 'Seed: 0..2147483647 for D and S, the safe integers for others',
      mutant: change(
        'src/api/models/fields.ts',
        "'Random seed', 0, 2_147_483_647",
        "'Random seed', -1, 2_147_483_647",
      ),
      proofs: registry('* > has the fields and limits of the API specification'),
    },
    {
      says: 'Model S: 1..5 images, up to 4 when it edits',
      mutant: change('src/api/models/image-s.ts', '{ maximum: 4 }', '{ maximum: 5 }'),
      proofs: modelRules('image-s > makes up to 5 images from text and up to 4 when it edits'),
    },
    {
      says: 'Model E: 10 s only at 768p, 1080p only 6 s',
      mutant: change('src/api/models/video-e.ts', 'duration: [6]', 'duration: [6, 10]'),
      proofs: modelRules('video-e > makes 10 seconds only at 768p, and only 6 seconds at 1080p'),
    },
    {
      says: 'Models F and G: 0.05 USD per output second',
      mutant: change('src/api/models/video-g.ts', 'usdPerOutputSecond: 0.05', 'usdPerOutputSecond: 0.06'),
      proofs: [
        ...registry('the model registry > knows prices, outputs and seeds where the API specification does'),
        ...accounts('credits > for videos priced by the second follow duration and count'),
      ],
    },
    {
      says: 'Replay window of receivers: 5 minutes; ids are deduplicated',
      mutant: change(
        'src/webhooks/routing/workspace-events.ts',
        'if (OUTCOMES[settled].acknowledged) this.#known.add(id);\n    else',
        'if (!OUTCOMES[settled].acknowledged)',
      ),
      proofs: [
        ...signature('a standard signature > holds for 5 minutes either way, to the second'),
        ...receiver('a delivery > with an id that was acknowledged is handed over only once'),
      ],
    },
    {
      says: 'Delivery log: the 20 most recent attempts',
      mutant: change('emulator/src/webhooks/delivery-log.ts', 'SHOWN = 20', 'SHOWN = 19'),
      proofs: payload('of an endpoint the 20 most recent attempts are shown, not fewer and not more'),
    },
  ],
};
