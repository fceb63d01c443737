import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { shown } from '../../api/text/shown.ts';
import { DEEPEST_INPUT } from '../../contract/limits.ts';
import { approveUpdate, rejectUpdate, resolveUpdate } from '../../contract/messages.ts';
import type { Approval, PipelineProgress, Rejection, Resolution } from '../../contract/pipeline.ts';
import type { StepStage } from '../../contract/steps/carried-pipeline.ts';
import { type Answer, answered, inputOf } from './answers.ts';
import { checkInput, weighInput } from './check-input.ts';
import type { Run } from './run.ts';
import { progressOf } from './show.ts';

/** The stage of a step that waits for a person. */
type Question = Extract<StepStage, { at: 'approval' | 'held' }>;

/** Connects the updates: to be called before the workflow's first await. */
export function answerPeople(run: Run): void {
  new People(run).listen();
}

/** What people say about the steps of a pipeline that wait for them: the updates come in here. */
class People {
  readonly #run: Run;
  #isReplacing = false;

  constructor(run: Run) {
    this.#run = run;
  }

  listen(): void {
    setHandler(approveUpdate, (approval) => this.#take(approval, { ...approval, action: 'approve' }), {
      validator: (approval) => this.#refuse(approval, 'approval'),
      description: 'Lets a step be bought that waits for approval: { "step", "input"? }',
    });
    setHandler(rejectUpdate, (rejection) => this.#take(rejection, { action: 'reject' }), {
      validator: (rejection) => this.#refuse(rejection, 'approval'),
      description: 'Skips a step that waits for approval: { "step" }',
    });
    setHandler(resolveUpdate, (resolution) => this.#take(resolution, resolution), {
      validator: (resolution) => this.#refuseResolution(resolution),
      description:
        'Says what becomes of a held step: { "step", "action": "retry" | "skip" | "fail", "input"? }',
    });
  }

  async #take({ step }: Rejection, said: Answer & { step?: string }): Promise<PipelineProgress> {
    const { step: _, ...answer } = said;
    // The one that was asked when this came: another one may take its place while it is looked at.
    const question = this.#questionAt(step);
    if (inputOf(answer) === undefined) return await this.#answer(step, question, answer);
    // One after the other: whether an input fits hangs on those that others have replaced.
    while (this.#isReplacing) await condition(() => !this.#isReplacing);
    this.#isReplacing = true;
    try {
      return await this.#answer(step, question, answer);
    } finally {
      this.#isReplacing = false;
    }
  }

  async #answer(step: string, question: Question | undefined, answer: Answer): Promise<PipelineProgress> {
    this.#needOpen(step, question);
    const input = inputOf(answer);
    if (input !== undefined) {
      const errors = await checkInput(this.#run, step, question.at, input);
      if (errors.length > 0) throw refusal(errors);
      this.#needOpen(step, question);
    }
    this.#run.change((state) => answered(state, step, answer));
    return progressOf(this.#run.state);
  }

  /** Somebody else may have been quicker while this one waited, or while its input was looked at. */
  #needOpen(step: string, question: Question | undefined): asserts question is Question {
    if (question === undefined || this.#questionAt(step) !== question)
      throw refusal([{ path: 'step', message: 'was decided about meanwhile' }]);
  }

  /** Throws where an update does not fit: it leaves no trace in the history then. Anything may have been sent. */
  #refuse(said: Partial<Approval> | null | undefined, kind: Question['at']): void {
    const step: unknown = said?.step;
    if (typeof step !== 'string') throw new Error('step must name a step of this pipeline');
    if (this.#questionAt(step)?.at !== kind) {
      const what = kind === 'approval' ? 'does not wait for approval' : 'is not held';
      throw new Error(`step ${shown(step)} ${what}`);
    }
    const input: unknown = said?.input;
    if (input !== undefined && !isRecord(input))
      throw new Error("input must be an object of the model's fields");
    if (isNestedDeeper(input, DEEPEST_INPUT)) throw new Error('input is nested too deep');
    const tooMuch = input === undefined ? [] : weighInput(this.#run.state, step, input);
    if (tooMuch.length > 0) throw refusal(tooMuch);
  }

  #questionAt(step: string): Question | undefined {
    const stage = this.#run.state.steps.get(step);
    return stage?.at === 'approval' || stage?.at === 'held' ? stage : undefined;
  }

  #refuseResolution(said: Partial<Resolution> | null | undefined): void {
    this.#refuse(said, 'held');
    const action: unknown = said?.action;
    if (action !== 'retry' && action !== 'skip' && action !== 'fail')
      throw new Error('action must be "retry", "skip" or "fail"');
    if (action !== 'retry' && said?.input !== undefined) throw new Error('input goes with "retry" alone');
  }
}

function refusal(errors: FieldError[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: firstError(errors),
    nonRetryable: true,
    details: [{ errors }],
  });
}
