import { ApplicationFailure, condition, setHandler } from '@temporalio/workflow';
import type { FieldError } from '../../api/input/field-error.ts';
import { firstError } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { isNestedDeeper } from '../../api/json/nesting.ts';
import { shown } from '../../api/text/shown.ts';
import { DEEPEST_INPUT } from '../../contract/limits.ts';
import { approveUpdate, rejectUpdate, resolveUpdate } from '../../contract/messages.ts';
import type { Approval, PipelineProgress, Rejection, Resolution } from '../../contract/pipeline.ts';
import type { Attention } from './attention.ts';

/** What a person has said about a step. */
export type Answer =
  | { action: 'approve' | 'retry'; input?: Record<string, unknown> }
  | { action: 'reject' | 'skip' | 'fail' };

/** What takes the place of the step's own input, if anything does. */
export function inputOf(answer: Answer): Record<string, unknown> | undefined {
  return 'input' in answer ? answer.input : undefined;
}

export interface PeopleOptions {
  /** What is too much about an input in the place of a step's own: one that is refused for it is not recorded. */
  weigh: (step: string, input: Record<string, unknown>) => FieldError[];
  /** What is wrong with an input in the place of a step's own; nothing: it may be bought. */
  check: (step: string, kind: Question['kind'], input: Record<string, unknown>) => Promise<FieldError[]>;
  progress: () => PipelineProgress;
  attention: Attention;
}

interface Question {
  kind: 'approval' | 'held';
  answer?: Answer;
}

/** What operators search by, and what they are shown on the run's first page: that has timers and activities alone. */
const ASKING = {
  held: { state: 'needs a decision', update: 'update "resolve"' },
  approval: { state: 'waiting for approval', update: 'update "approve" or "reject"' },
} as const;

/** A question has a timer, so that it is seen; when it fires, the run looks whether its version is outdated (milliseconds). */
const SHOWN_FOR = 24 * 60 * 60_000;
/** A timer's line takes 200 bytes. */
const LONGEST_SUMMARY = 150;

/** The steps of a pipeline that wait for a person, and what people say about them: the updates come in here. */
export class People {
  readonly #questions = new Map<string, Question>();
  readonly #options: PeopleOptions;
  #isReplacing = false;

  /** Connects the updates: to be called before the workflow's first await. */
  constructor(options: PeopleOptions) {
    this.#options = options;
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

  /**
   * Waits until somebody has said what is to become of a step.
   *
   * @param why the step is asked about, in words
   */
  async ask(step: string, kind: Question['kind'], why: string): Promise<Answer> {
    const question: Question = { kind };
    const { state, update } = ASKING[kind];
    const { attention } = this.#options;
    this.#questions.set(step, question);
    attention.ask(step, { state, note: `step ${step}: ${why}` });
    try {
      const summary = `step ${step}: ${state} (${update})${kind === 'held' ? `: ${why}` : ''}`;
      const isAnswered = (): boolean => question.answer !== undefined;
      while (!(await condition(isAnswered, SHOWN_FOR, { summary: cut(summary) })));
    } finally {
      this.#questions.delete(step);
      attention.answered(step);
    }
    if (question.answer === undefined) throw new Error(`no answer about ${step}`); // the condition has passed
    return question.answer;
  }

  async #take({ step }: Rejection, said: Answer & { step?: string }): Promise<PipelineProgress> {
    const { step: _, ...answer } = said;
    // The one that was asked when this came: another one may take its place while it is looked at.
    const question = this.#questions.get(step);
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
      const errors = await this.#options.check(step, question.kind, input);
      if (errors.length > 0) throw refusal(errors);
      this.#needOpen(step, question);
    }
    question.answer = answer;
    await condition(() => this.#questions.get(step) !== question);
    return this.#options.progress();
  }

  /** Somebody else may have been quicker while this one waited, or while its input was looked at. */
  #needOpen(step: string, question: Question | undefined): asserts question is Question {
    if (question === undefined || this.#questions.get(step) !== question || question.answer !== undefined)
      throw refusal([{ path: 'step', message: 'was decided about meanwhile' }]);
  }

  /** Throws where an update does not fit: it leaves no trace in the history then. Anything may have been sent. */
  #refuse(said: Partial<Approval> | null | undefined, kind: Question['kind']): void {
    const step: unknown = said?.step;
    if (typeof step !== 'string') throw new Error('step must name a step of this pipeline');
    const question = this.#questions.get(step);
    if (question === undefined || question.kind !== kind) {
      const what = kind === 'approval' ? 'does not wait for approval' : 'is not held';
      throw new Error(`step ${shown(step)} ${what}`);
    }
    if (question.answer !== undefined) throw new Error(`another decision about step ${step} came first`);
    const input: unknown = said?.input;
    if (input !== undefined && !isRecord(input))
      throw new Error("input must be an object of the model's fields");
    if (isNestedDeeper(input, DEEPEST_INPUT)) throw new Error('input is nested too deep');
    const tooMuch = input === undefined ? [] : this.#options.weigh(step, input);
    if (tooMuch.length > 0) throw refusal(tooMuch);
  }

  #refuseResolution(said: Partial<Resolution> | null | undefined): void {
    this.#refuse(said, 'held');
    const action: unknown = said?.action;
    if (action !== 'retry' && action !== 'skip' && action !== 'fail')
      throw new Error('action must be "retry", "skip" or "fail"');
    if (action !== 'retry' && said?.input !== undefined) throw new Error('input goes with "retry" alone');
  }
}

function cut(text: string): string {
  return text.length <= LONGEST_SUMMARY ? text : `${text.slice(0, LONGEST_SUMMARY - 1)}…`;
}

function refusal(errors: FieldError[]): ApplicationFailure {
  return ApplicationFailure.create({
    type: 'INVALID_REQUEST',
    message: firstError(errors),
    nonRetryable: true,
    details: [{ errors }],
  });
}
