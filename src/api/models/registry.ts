import { keysOf } from '../json/keys-of.ts';
import type { Model } from './define-model.ts';
import { faceSwapC } from './face-swap-c.ts';
import { imageL } from './image-l.ts';
import { imageM } from './image-m.ts';
import { imageN } from './image-n.ts';
import { imageO } from './image-o.ts';
import { imageP } from './image-p.ts';
import { imageR } from './image-r.ts';
import { imageS } from './image-s.ts';
import { lipSyncH } from './lip-sync-h.ts';
import type { ModelInputs } from './model-types.ts';
import { speechA } from './speech-a.ts';
import { speechB } from './speech-b.ts';
import { upscaleQ } from './upscale-q.ts';
import { videoD } from './video-d.ts';
import { videoE } from './video-e.ts';
import { videoF } from './video-f.ts';
import { videoG } from './video-g.ts';
import { videoI } from './video-i.ts';
import { videoJ } from './video-j.ts';
import { videoK } from './video-k.ts';

/**
 * Every model of the API, by id, in the API specification's order. One file each; this list is the only place
 * that names them all.
 */
export const MODELS = {
  'speech-a': speechA,
  'speech-b': speechB,
  'face-swap-c': faceSwapC,
  'video-d': videoD,
  'video-e': videoE,
  'video-f': videoF,
  'video-g': videoG,
  'lip-sync-h': lipSyncH,
  'video-i': videoI,
  'video-j': videoJ,
  'video-k': videoK,
  'image-l': imageL,
  'image-m': imageM,
  'image-n': imageN,
  'image-o': imageO,
  'image-p': imageP,
  'upscale-q': upscaleQ,
  'image-r': imageR,
  'image-s': imageS,
} as const;

export type ModelId = keyof typeof MODELS;

/** The input of a model as its caller writes it: a wrong field is a compile error. */
export type ModelInput<Id extends ModelId> = ModelInputs[Id];

/** The same, where a template may complete it: with one that is sure to be named, any field may be left open. */
export type InputFor<Id extends ModelId, TemplateId extends string | undefined> = [TemplateId] extends [
  string,
]
  ? Partial<ModelInput<Id>>
  : ModelInput<Id>;

export const MODEL_IDS = keysOf(MODELS);

export function isModelId(id: string): id is ModelId {
  return Object.hasOwn(MODELS, id);
}

/** The same models, typed loosely for code that treats all of them alike. */
export const ALL_MODELS: readonly Model[] = Object.values(MODELS);

/** The model of that id, or undefined; typed loosely, too. */
export function findModel(id: string): Model | undefined {
  return isModelId(id) ? MODELS[id] : undefined;
}
