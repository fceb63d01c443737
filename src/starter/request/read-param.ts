import { InvalidArgumentError } from 'commander';
import { parseJson } from '../../api/json/parse-json.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { localFile } from './parse-fields.ts';

/** An option `--param name=value`, with those before it: JSON where it is some, else text; `@photo.png` is a file. */
export function readParam(text: string, before: Record<string, unknown> = {}): Record<string, unknown> {
  const at = text.indexOf('=');
  if (at <= 0) throw new InvalidArgumentError('It is name=value, like city=Oslo.');
  const [name, value] = [text.slice(0, at), text.slice(at + 1)];
  return { ...before, [name]: localFile(name, value) ?? parseJson(value) ?? value };
}

/** A pipeline with the values that the command line gives, over its own. */
export function withParams(
  pipeline: PipelineRequest,
  params: Record<string, unknown> | undefined,
): PipelineRequest {
  return params === undefined ? pipeline : { ...pipeline, params: { ...pipeline.params, ...params } };
}
