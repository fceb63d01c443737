import { isDeepStrictEqual } from 'node:util';
import { isRecord } from '../../api/json/is-record.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { asWritten, type Origins, withOutputNames } from '../../contract/purchases/origins.ts';
import type { StepToFind } from '../../contract/steps/step-look.ts';
import { DEFAULT_WORKSPACE } from '../../contract/workflow-ids.ts';

/** What a generation was started with. */
export interface StartedWith {
  /** Undefined: without one. */
  request: GenerationRequest | undefined;
  origins: Origins;
}

/**
 * Whether a generation is that of a step: `same`, it makes the same; `other outputs`, it was started for the same step
 * when a reference meant another output; or `different`. A workspace is a wall: what another one has bought is never
 * the same.
 */
export function likeness(
  { request, origins }: StartedWith,
  step: Pick<StepToFind, 'model' | 'workspace' | 'input' | 'templateId' | 'origins'>,
): 'same' | 'other outputs' | 'different' {
  if (request?.model !== step.model || workspaceOf(request) !== workspaceOf(step)) return 'different';
  if (request.templateId !== step.templateId) return 'different';
  const own = step.origins ?? {};
  // Where only one of them has noted what its URLs are, the URLs themselves are compared.
  if (isEmpty(origins) !== isEmpty(own))
    return isDeepStrictEqual(request.input, step.input) ? 'same' : 'different';
  if (isDeepStrictEqual(withOutputNames(request.input, origins), withOutputNames(step.input, own)))
    return 'same';
  const isAlike = isDeepStrictEqual(asWritten(request.input, origins), asWritten(step.input, own));
  return isAlike ? 'other outputs' : 'different';
}

function isEmpty(origins: Origins): boolean {
  return Object.keys(origins).length === 0;
}

/** Of a request that somebody has started a workflow with: anything may stand in it. */
export function workspaceOf(request: { workspace?: unknown } | undefined): unknown {
  return request?.workspace ?? DEFAULT_WORKSPACE;
}

/** What a pipeline has noted of the URLs that it started a generation with; nothing where it noted nothing. */
export function originsOf(memo: Readonly<Record<string, unknown>> | undefined): Origins {
  const noted = memo?.['origins'];
  return isRecord(noted) ? (noted as Origins) : {}; // written by the pipeline's `start.ts` alone
}
