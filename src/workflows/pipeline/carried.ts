import { workflowInfo } from '@temporalio/workflow';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_RESULT_BYTES } from '../../contract/limits.ts';
import type { PipelineRequest, StepItem } from '../../contract/pipeline.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { generationId } from '../../contract/steps/step-ids.ts';
import { Results, type Settled } from './results.ts';
import type { StepEnd } from './step-result.ts';

/** Bytes of all that a run hands on to the next one: Temporal takes 2 MB. */
const MOST_HANDED_ON = 2_000_000;

/** What a run has been handed on by the one before it, and goes on writing down. */
export interface Carried {
  settled: [string, Settled][];
  done: Map<string, StepEnd>;
  approved: Set<string>;
  /** By step: which output (by position) each item (by index) of its fan-out takes. */
  assigned: Map<string, Map<number, number>>;
}

/** A pipeline's first run. */
export function nothingCarried(prose: CarriedPipeline['prose'], runsAgain: boolean): CarriedPipeline {
  return {
    prose,
    settled: [],
    tried: [],
    done: {},
    following: [],
    approved: [],
    assigned: {},
    ...(runsAgain ? { runsAgain } : {}),
    spent: 0,
    counted: [],
    prices: [],
  };
}

export function unpack({ settled, done, approved, assigned }: CarriedPipeline): Carried {
  return {
    settled: settled.map(([path, item, startedAt, countedBefore]) => [
      path,
      { item: withOwnId(path, item), startedAt, countedBefore },
    ]),
    done: new Map(
      Object.entries(done).map(([name, { status, items }]) => [
        name,
        {
          status,
          paths: items?.map((index) => `${name}/${index}`) ?? [name],
          isFannedOut: items !== undefined,
        },
      ]),
    ),
    approved: new Set(approved),
    assigned: new Map(Object.entries(assigned).map(([name, pairs]) => [name, new Map(pairs)])),
  };
}

export function carry(
  { done, approved, assigned }: Carried,
  {
    request,
    replaced,
    given,
    results,
    runsAgain,
    ...rest
  }: Pick<
    CarriedPipeline,
    'prose' | 'prices' | 'following' | 'reserved' | 'counted' | 'spent' | 'attention'
  > & {
    request: PipelineRequest;
    replaced: NonNullable<CarriedPipeline['replaced']>;
    given: NonNullable<CarriedPipeline['given']>;
    results: Results;
    runsAgain: boolean;
  },
): CarriedPipeline {
  const entries = results
    .entries()
    .map(([path, settled]): [string, Settled] => [
      path,
      { ...settled, item: withoutOwnId(path, settled.item) },
    ]);
  const others: Omit<CarriedPipeline, 'settled'> = {
    ...rest,
    ...(Object.keys(replaced).length === 0 ? {} : { replaced }),
    ...(Object.keys(given).length === 0 ? {} : { given }),
    ...(runsAgain ? { runsAgain } : {}),
    tried: results.tried,
    done: Object.fromEntries([...done].map(([name, end]) => [name, packed(end)])),
    approved: [...approved],
    assigned: Object.fromEntries(
      [...assigned]
        .filter(
          ([name, pairs]) => !done.has(name) && [...pairs].some(([index, position]) => index !== position),
        )
        .map(([name, pairs]) => [name, [...pairs]]),
    ),
  };
  const room = Math.min(MOST_RESULT_BYTES, MOST_HANDED_ON - jsonBytes([request, others]));
  return {
    ...others,
    settled: new Results(room, entries)
      .entries()
      .map(([path, { item, startedAt, countedBefore: before }]) =>
        before === undefined ? [path, item, startedAt] : [path, item, startedAt, before],
      ),
  };
}

function packed({ status, paths, isFannedOut }: StepEnd): CarriedPipeline['done'][string] {
  if (!isFannedOut) return { status };
  return { status, items: paths.map((path) => Number(path.slice(path.lastIndexOf('/') + 1))) };
}

/** The id of a generation of this pipeline follows from its path. */
function withoutOwnId(path: string, item: StepItem): StepItem {
  return item.status !== 'SKIPPED' && item.workflowId === ownId(path) ? { ...item, workflowId: '' } : item;
}

function withOwnId(path: string, item: StepItem): StepItem {
  return item.status !== 'SKIPPED' && item.workflowId === '' ? { ...item, workflowId: ownId(path) } : item;
}

function ownId(path: string): string {
  return generationId(workflowInfo().workflowId, path);
}
