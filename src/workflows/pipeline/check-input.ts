import { ActivityFailure, isCancellation, proxyLocalActivities } from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { MOST_ASKED_BYTES } from '../../contract/limits.ts';
import { fanOf, findReferences } from '../../contract/steps/references.ts';
import type { Run } from './run.ts';
import { requestWith, type State } from './state.ts';

const { checkPipeline } = proxyLocalActivities<Pick<DarkroomActivities, 'checkPipeline'>>({
  startToCloseTimeout: '30 seconds',
  // Others wait until it is known, and the person can try again.
  scheduleToCloseTimeout: '2 minutes',
});

/** What is too much about an input that a person wants for a step: it stands in the run's history, and in each that goes on. */
export function weighInput(
  { request, inputs }: State,
  step: string,
  input: Record<string, unknown>,
): FieldError[] {
  const others = [...inputs].filter(([name]) => name !== step);
  const bytes = jsonBytes([request, ...others, [step, input]]);
  if (bytes <= MOST_ASKED_BYTES) return [];
  const message = `would make ${bytes} bytes as JSON of the request and all inputs that were replaced; at most ${MOST_ASKED_BYTES} are taken`;
  return [{ path: pathOf(step), message }];
}

/** What is wrong with an input that a person wants for a step: the whole pipeline is looked at with it. */
export async function checkInput(
  run: Run,
  step: string,
  kind: 'approval' | 'held',
  input: Record<string, unknown>,
): Promise<FieldError[]> {
  const path = pathOf(step);
  // Others may have been replaced since it came.
  const tooMuch = weighInput(run.state, step, input);
  if (tooMuch.length > 0) return tooMuch;
  const { reuse: _, ...request } = requestWith(run.state, step, input);
  const check = await checkPipeline(request).catch((error: unknown) => {
    if (!(error instanceof ActivityFailure) || isCancellation(error)) throw error;
    return { ok: false as const, errors: [{ path, message: 'could not be checked by now: send it again' }] };
  });
  if (!check.ok) return check.errors;
  const fans = [requestWith(run.state), request].map(({ steps }) =>
    JSON.stringify(fanOf(findReferences(steps[step]?.input, '').references)),
  );
  if (kind === 'approval' || fans[0] === fans[1]) return [];
  return [{ path, message: 'must fan out as before: a part of the step is bought already' }];
}

function pathOf(step: string): string {
  return `steps.${step}.input`;
}
