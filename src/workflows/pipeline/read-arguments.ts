import { isList, isRecord } from '../../api/json/is-record.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { CarriedPipeline } from '../../contract/steps/carried-pipeline.ts';
import { LONGEST_WORKSPACE, readHandedOn } from '../arguments/read-arguments.ts';
import { flag, list, number, object, optional, type Shape, text } from '../arguments/shapes.ts';

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

/** Pairs by path or name; what is in them is as a run of ours has written it. */
const entries = <T extends readonly unknown[]>(): Shape<T[]> =>
  list((value): value is T => isList(value) && value.length === 2 && typeof value[0] === 'string');

const carried = object<CarriedPipeline>({
  steps: entries<CarriedPipeline['steps'][number]>(),
  fans: entries<CarriedPipeline['fans'][number]>(),
  inputs: entries<CarriedPipeline['inputs'][number]>(),
  asked: list(name),
  tried: entries<CarriedPipeline['tried'][number]>(),
  runsAgain: flag,
});

/** What the run before this one has handed on. @throws INVALID_REQUEST */
export function readCarried(value: unknown): CarriedPipeline | undefined {
  return readHandedOn(value, carried);
}
