import {
  ActivityFailure,
  ApplicationFailure,
  isCancellation,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { shown } from '../../api/text/shown.ts';
import type { DarkroomActivities } from '../../contract/activities.ts';
import { jsonBytes } from '../../contract/json-bytes.ts';
import { DEEPEST_INPUT, MOST_ASKED_BYTES } from '../../contract/limits.ts';
import { approveUpdate, rejectUpdate, resolveUpdate } from '../../contract/messages.ts';
import type { Approval, PipelineProgress, Rejection } from '../../contract/pipeline.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { fanOf, findReferences } from '../../contract/steps/references.ts';
import { type Answer, answered, inputOf } from './answers.ts';
import { type Asked, QUESTIONS } from './questions.ts';
import type { Run } from './run.ts';
import { progressOf } from './show.ts';
import { requestWith, type State } from './state.ts';

const { checkPipeline } = proxyLocalActivities<Pick<DarkroomActivities, 'checkPipeline'>>({
  startToCloseTimeout: '30 seconds',
  // Others wait until it is known, and the person can try again.
  scheduleToCloseTimeout: '2 minutes',
});

const STOPPING = 'can have no answer any more: the pipeline is being cancelled, or has failed';

/** The stage of a step that waits for a person. */
type Question = Extract<StepStage, { at: Asked }>;

/** What people say about steps that wait for them. To be called before the workflow's first await. */
export function answerPeople(run: Run): void {
  // One input after the other: whether it fits hangs on those that others have replaced.
  let last: Promise<unknown> = Promise.resolve();
  const take = async ({ step }: Rejection, said: Answer & { step?: string }): Promise<PipelineProgress> => {
    const { step: _, ...answer } = said;
    // The one that was asked when this came: another one may take its place while it is looked at.
    const question = questionAt(run, step);
    if (inputOf(answer) === undefined) return await obey(run, step, question, answer);
    const answering = last.then(() => obey(run, step, question, answer));
    last = answering.catch(() => undefined);
    return await answering;
  };
  setHandler(approveUpdate, (approval) => take(approval, { ...approval, action: 'approve' }), {
    validator: (approval) => refuse(run, 'approval', approval, 'approve'),
    description: 'Lets a step be bought that waits for approval: { "step", "input"? }',
  });
  setHandler(rejectUpdate, (rejection) => take(rejection, { action: 'reject' }), {
    validator: (rejection) => refuse(run, 'approval', rejection, 'reject'),
    description: 'Skips a step that waits for approval: { "step" }',
  });
  setHandler(resolveUpdate, (resolution) => take(resolution, resolution), {
    validator: (resolution) => refuse(run, 'held', resolution, resolution?.action),
    description:
      'Says what becomes of a held step: { "step", "action": "retry" | "skip" | "fail", "input"? }',
  });
}

async function obey(
  run: Run,
  step: string,
  question: Question | undefined,
  answer: Answer,
): Promise<PipelineProgress> {
  const input = inputOf(answer);
  needOpen(run, step, question);
  const errors = input === undefined ? [] : await checkInput(run, step, question.at, input);
  if (errors.length > 0) throw refusal(errors);
  needOpen(run, step, question);
  run.change((state) => answered(state, step, answer));
  return progressOf(run.state);
}

/** While this one waited, or its input was looked at, somebody else may have answered, or cancelled the pipeline. */
function needOpen(run: Run, step: string, question: Question | undefined): asserts question is Question {
  if (run.isStopping) throw refusal([{ path: 'step', message: STOPPING }]);
  if (question === undefined || questionAt(run, step) !== question)
    throw refusal([{ path: 'step', message: 'was decided about meanwhile' }]);
}

function questionAt({ state }: Run, step: string): Question | undefined {
  const stage = state.steps.get(step);
  return stage?.at === 'approval' || stage?.at === 'held' ? stage : undefined;
}

/** Throws where an update does not fit: it leaves no trace in the history then. Anything may have been sent. */
function refuse(run: Run, kind: Asked, said: Partial<Approval> | null | undefined, action: unknown): void {
  const { isNot, answers } = QUESTIONS[kind];
  const actions = Object.keys(answers);
  const step: unknown = said?.step;
  const input: unknown = said?.input;
  if (typeof step !== 'string') throw new Error('step must name a step of this pipeline');
  if (run.isStopping) throw new Error(`step ${STOPPING}`);
  if (questionAt(run, step)?.at !== kind) throw new Error(`step ${shown(step)} ${isNot}`);
  if (!actions.some((one) => one === action)) throw new Error(`action must be one of ${actions.join(', ')}`);
  if (input === undefined) return;
  if (action !== actions[0]) throw new Error(`input goes with ${actions[0]} alone`);
  if (!isRecord(input)) throw new Error("input must be an object of the model's fields");
  if (isNestedDeeper(input, DEEPEST_INPUT)) throw new Error('input is nested too deep');
  const tooMuch = weighInput(run.state, step, input);
  if (tooMuch.length > 0) throw refusal(tooMuch);
}

function refusal(errors: FieldError[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: firstError(errors),
    nonRetryable: true,
    details: [{ errors }],
  });
}

/** What is too much about an input that a person wants for a step: it stands in the run's history, and in each that goes on. */
function weighInput({ request, inputs }: State, step: string, input: Record<string, unknown>): FieldError[] {
  const bytes = jsonBytes([request, ...inputs, [step, input]]);
  if (bytes <= MOST_ASKED_BYTES) return [];
  const message = `would make ${bytes} bytes as JSON of the request and all inputs that were replaced; at most ${MOST_ASKED_BYTES} are taken`;
  return [{ path: pathOf(step), message }];
}

/** What is wrong with an input that a person wants for a step: the whole pipeline is looked at with it. */
async function checkInput(
  run: Run,
  step: string,
  kind: Asked,
  input: Record<string, unknown>,
): Promise<FieldError[]> {
  const path = pathOf(step);
  // Others may have been replaced since it came.
  const tooMuch = weighInput(run.state, step, input);
  if (tooMuch.length > 0) return tooMuch;
  // Who pays, and what is reused, was asked when it began, and may be deleted since.
  const { reuse: _, budget: __, budgetsAbove: ___, ...request } = requestWith(run.state, step, input);
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
