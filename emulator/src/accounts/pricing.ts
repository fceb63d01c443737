import type { Model } from '../../../src/api/models/define-model.ts';
import type { Assumptions } from '../assumptions.ts';
import { resultCount } from '../tasks/input-meaning.ts';

/**
 * Credits for each result. Assumed, except where the API specification states a price: those models are not
 * listed here, their price per output second comes with the model (`cost`).
 */
const CREDITS_PER_RESULT: Readonly<Record<string, number>> = {
  'speech-a': 3,
  'speech-b': 4,
  'face-swap-c': 6,
  'video-d': 60,
  'video-e': 30,
  'lip-sync-h': 40,
  'video-i': 35,
  'video-j': 45,
  'video-k': 30,
  'image-l': 8,
  'image-m': 12,
  'image-n': 10,
  'image-o': 5,
  'image-p': 6,
  'upscale-q': 4,
  'image-r': 5,
  'image-s': 7,
};

/** For a model that the table does not name. */
const CREDITS_BY_FAMILY = { speech: 3, image: 8, video: 40 } as const;

/** What a task costs, whole credits: price of one result times the results asked for. */
export function price(model: Model, input: Record<string, unknown>, assumptions: Assumptions): number {
  const exact = ofOneResult(model, input, assumptions) * resultCount(input);
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.ceil(exact - 1e-9)));
}

function ofOneResult(model: Model, input: Record<string, unknown>, assumptions: Assumptions): number {
  if (model.cost === undefined) return CREDITS_PER_RESULT[model.id] ?? CREDITS_BY_FAMILY[model.family];
  const seconds =
    typeof input['duration'] === 'number' ? input['duration'] : assumptions.defaultOutputSeconds;
  return model.cost.usdPerOutputSecond * seconds * assumptions.creditsPerUsd;
}
