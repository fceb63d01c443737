import { cut } from '../../api/text/cut.ts';
import { jsonBytes } from '../json-bytes.ts';
import type { Omission, StepItem } from '../pipeline.ts';
import type { StepEnd, StepStage } from './carried-pipeline.ts';
import { costsOf } from './step-result.ts';

/** A message that is one of a thousand has to be short (characters). */
const SHORT_MESSAGE = 120;
/** Beside an item stands the frame of a step with a list of items; or a time between two runs (bytes). */
const FRAME = 90;

/**
 * What is left out where there is no room, in this order, each time of the largest first: the API's `data`; then
 * attempts and what was wrong with each field; then outputs; then the ends of long messages. What is left out of a
 * generation is in the generation's own result.
 */
const CUTS: readonly ((item: StepItem) => StepItem)[] = [
  (item) => cutResult(item, 'data', { data: null }),
  (item) => cutDetails(cutResult(item, 'attempts', { attempts: [] })),
  (item) => cutResult(item, 'outputs', { outputs: [] }),
  cutMessage,
];

/** The ends of generations, by path, with no more bytes as JSON than there is room for. */
export function fitted(steps: ReadonlyMap<string, StepStage>, most: number): ReadonlyMap<string, StepStage> {
  const kept = new Map(steps);
  for (const [path, stage] of steps) {
    const end = endOf(stage);
    if (end !== undefined && end.sizes === undefined)
      kept.set(path, withEnd(stage, { ...end, sizes: sizesOf(path, end) }));
  }
  let bytes = endsIn(kept).reduce((sum, { end }) => sum + sizeAt(end), 0);
  for (let level = 0; level < CUTS.length && bytes > most; level += 1) {
    const uncut = endsIn(kept).filter(({ end: { cuts = 0 } }) => cuts === level);
    const gain = ({ end }: (typeof uncut)[number]): number =>
      sizeAt(end) - sizeAt({ ...end, cuts: level + 1 });
    for (const one of uncut.toSorted((a, b) => gain(b) - gain(a))) {
      if (bytes <= most) break;
      const { path, stage, end } = one;
      kept.set(path, withEnd(stage, { ...end, item: CUTS[level]?.(end.item) ?? end.item, cuts: level + 1 }));
      bytes -= gain(one);
    }
  }
  return kept;
}

/** The end that a stage has. */
export function endOf(stage: StepStage | undefined): StepEnd | undefined {
  if (stage?.at === 'done') return stage;
  return stage?.at === 'held' ? stage.end : undefined;
}

export function withEnd({ at }: StepStage, end: StepEnd): StepStage {
  return at === 'held' ? { at, end } : { at: 'done', ...end };
}

function endsIn(steps: ReadonlyMap<string, StepStage>): { path: string; stage: StepStage; end: StepEnd }[] {
  return [...steps].flatMap(([path, stage]) => {
    const end = endOf(stage);
    return end === undefined ? [] : { path, stage, end };
  });
}

function sizeAt({ sizes = [], cuts = 0 }: StepEnd): number {
  return sizes[cuts] ?? 0;
}

function sizesOf(path: string, { item, countedBefore, cuts = 0 }: StepEnd): number[] {
  const beside = path.length + FRAME + (countedBefore === undefined ? 0 : jsonBytes(countedBefore));
  const forms = [item];
  for (const shorten of CUTS.slice(cuts)) forms.push(shorten(forms.at(-1) ?? item));
  const sizes = forms.map((form) => jsonBytes(form) + beside);
  return [...Array.from({ length: cuts }, () => 0), ...sizes]; // those before are not asked for any more
}

function cutResult(item: StepItem, what: Omission, without: object): StepItem {
  if (item.status !== 'COMPLETED') return item;
  const { omitted = [] } = item;
  if (omitted.includes(what) || isEmpty(item.result[what])) return item;
  return { ...item, result: { ...item.result, ...without }, omitted: [...omitted, what] };
}

function isEmpty(value: unknown): boolean {
  return value === null || (Array.isArray(value) && value.length === 0);
}

/** What a failure cost is kept: sums are made of it. */
function cutDetails(item: StepItem): StepItem {
  if (item.status !== 'FAILED' || item.failure.details === null) return item;
  return { ...item, failure: { ...item.failure, details: costsOf(item) } };
}

function cutMessage(item: StepItem): StepItem {
  if (item.status === 'COMPLETED') return item;
  return { ...item, failure: { ...item.failure, message: cut(item.failure.message, SHORT_MESSAGE) } };
}
