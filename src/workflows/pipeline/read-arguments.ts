import { isList, isRecord } from '../../api/json/is-record.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { CarriedAttention, CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { LONGEST_WORKSPACE, readHandedOn } from '../arguments/read-arguments.ts';
import {
  list,
  number,
  object,
  oneOf,
  optional,
  orNull,
  record,
  type Shape,
  table,
  text,
  tuple,
} from '../arguments/shapes.ts';

const shown = object<Pick<PipelineRequest, 'workspace' | 'budget'>>({
  workspace: optional(text(LONGEST_WORKSPACE)),
  budget: optional(object<{ credits: number }>({ credits: number })),
});

/**
 * What is shown of a request before it is checked: anything may be wrong with it. The worker checks it whole before a
 * step is begun.
 */
export function readShown(request: unknown): Pick<PipelineRequest, 'workspace' | 'budget'> {
  return isRecord(request) && shown(request) ? request : {};
}

const name = text(1_000);

/** Pairs and triples by path; what is in them is as a run of ours has written it, as other casts here say, too. */
const entries = <T extends readonly unknown[]>(): Shape<T[]> =>
  list((value): value is T => isList(value) && typeof value[0] === 'string');

type Need = CarriedAttention['asked'][number];
const need = tuple<Need>(name, object<Need[1]>({ state: name, note: text(10_000) }));

const carried = object<CarriedPipeline>({
  replaced: optional(table(record)),
  given: optional(table(record) as Shape<unknown> as Shape<NonNullable<CarriedPipeline['given']>>),
  prose: table(list(name)),
  settled: entries<CarriedPipeline['settled'][number]>(),
  tried: entries<CarriedPipeline['tried'][number]>(),
  done: table(record) as Shape<unknown> as Shape<CarriedPipeline['done']>, // as a run of ours has written them
  following: list(name),
  reserved: optional(entries<NonNullable<CarriedPipeline['reserved']>[number]>()),
  approved: list(name),
  assigned: table(list(tuple<[number, number]>(number, number))),
  runsAgain: optional(oneOf(true)),
  spent: number,
  counted: entries<CarriedPipeline['counted'][number]>(),
  prices: list(tuple<[string, number]>(text(1_000_000), number)),
  attention: optional(
    object<CarriedAttention>({
      asked: list(need),
      heard: list(need),
      state: orNull(name),
      model: name,
      told: optional(text(100_000)),
    }),
  ),
});

/** What the run before this one has handed on. @throws INVALID_REQUEST */
export function readCarried(value: unknown): CarriedPipeline | undefined {
  return readHandedOn(value, carried);
}
