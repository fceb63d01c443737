import { contentAt } from '../../api/models/json-schema.ts';
import { outputCount } from '../../api/models/output-count.ts';
import { ALL_MODELS, findModel } from '../../api/models/registry.ts';
import type { PriceFacts } from './price-table.ts';

/** What is described at greater length than this has no price that could be remembered (characters). */
const LONGEST_KIND = 500;
/** A longer one is none: its file is broken (seconds). */
const LONGEST_SOURCE = 1_000_000;
/** The kind of all that the catalogue prices: its volume is in USD, and all of it costs the same credits for one. */
export const CATALOGUE = 'USD by the catalogue';
/** Fields that no price hangs on, or that are in the volume. */
const APART: ReadonlySet<string> = new Set(['seed', 'n', 'num_images', 'duration']);

/** The models whose tasks the catalogue prices. */
export const CATALOGUED: readonly string[] = ALL_MODELS.flatMap(({ id, cost }) =>
  cost === undefined ? [] : [id],
);

/** What a task costs by the catalogue, in USD; undefined where that has no price of it. */
export function catalogueUsd(ordered: Priced): number | undefined {
  const facts = priceFacts(ordered);
  return facts?.kind === CATALOGUE ? Number(facts.volume.toFixed(4)) : undefined;
}

/** A request, or what of one is known. */
export interface Priced {
  model: string;
  input: Readonly<Record<string, unknown>>;
  templateId?: string | undefined;
  /** How long sources last that are heard or seen as they run, by field, as far as anybody knows. */
  sourceSeconds?: Readonly<Record<string, number>> | undefined;
}

/** The fields of an input whose sources are heard or seen as they run, by name. */
export function timedFields({ model: id, input }: Pick<Priced, 'model' | 'input'>): string[] {
  const model = findModel(id);
  const isTimed = (field: string): boolean => {
    const content = model && contentAt(model, [field]);
    return typeof content === 'object' && (content.files === 'video' || content.files === 'audio');
  };
  return Object.keys(input)
    .filter((field) => input[field] != null && isTimed(field))
    .sort();
}

/**
 * @returns undefined for an unknown model, or one that is asked for in too many words
 */
export function priceFacts({
  model: id,
  input,
  templateId,
  sourceSeconds = {},
}: Priced): PriceFacts | undefined {
  const model = findModel(id);
  if (model === undefined) return undefined;
  /** What of a field says what kind of thing is made: of a source that is heard or seen as it runs, that it is there. */
  const pricedBy = ([field, value]: [string, unknown]): [field: string, value: unknown][] => {
    const content = contentAt(model, [field]);
    if (value === undefined || APART.has(field) || content === 'text') return [];
    if (typeof content !== 'object') return [[field, value]];
    return value === null || content.files === 'image' ? [] : [[field, content.files]];
  };
  const { duration, text } = input;
  const seconds = typeof duration === 'number' && duration > 0 ? duration : undefined;
  const count = outputCount(input);
  // A template may say how long it is.
  if (model.cost !== undefined && seconds !== undefined && templateId === undefined)
    return { kind: CATALOGUE, volume: count * seconds * model.cost.usdPerOutputSecond, isByVolume: true };
  const priced = Object.entries(input).flatMap(pricedBy);
  // What a template says of it is the template's to know: its id stands for it.
  const kind = JSON.stringify([
    id,
    ...priced.sort(([a], [b]) => (a < b ? -1 : 1)),
    templateId ?? null,
    // Which of both lasts longer nobody knows: one that says its seconds, and one that leaves them to the model.
    ...(seconds !== undefined ? ['seconds'] : []),
  ]);
  if (kind.length > LONGEST_KIND) return undefined;
  const characters = model.family === 'speech' && typeof text === 'string' ? Math.max(1, text.length) : 1;
  const volume = count * (seconds ?? 1) * characters;
  const timed = timedFields({ model: id, input }).map((field) => knownSeconds(sourceSeconds[field]));
  return {
    kind,
    volume,
    ...(timed.length === 0 ? {} : { seconds: timed }),
    ...(model.cost === undefined ? {} : { isByVolume: true }),
  };
}

function knownSeconds(seconds: unknown): number | null {
  return typeof seconds === 'number' && seconds > 0 && seconds <= LONGEST_SOURCE ? seconds : null;
}
