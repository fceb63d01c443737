import { z } from 'zod';
import { GENERATION_CODES } from '../../../src/api/codes.ts';
import { EVENT_TYPES } from '../../../src/api/events/event-types.ts';

const milliseconds = z
  .number()
  .min(0)
  .max(24 * 60 * 60 * 1000);
const httpStatus = z.int().min(100).max(599);

/** Faults of an answer over HTTP. "Accepted" means: for a submit, the task was made and charged. */
const ANSWER_FAULTS = [
  /** The connection is reset and the request is ignored. */
  z.strictObject({ kind: z.literal('reset') }),
  /** The request is read and ignored, the connection closes without an answer. Nothing is charged. */
  z.strictObject({ kind: z.literal('lost-before') }),
  /** Accepted, then the connection closes without an answer. */
  z.strictObject({ kind: z.literal('lost-after') }),
  /** The answer is right but late: the time passes before or after acceptance. */
  z.strictObject({
    kind: z.literal('slow'),
    ms: milliseconds,
    when: z.enum(['before', 'after']).default('after'),
  }),
  /** Accepted, then an answer with the right status whose body is not JSON. */
  z.strictObject({ kind: z.literal('garbled') }),
  /** Accepted, then the connection breaks in the middle of the answer's body. */
  z.strictObject({ kind: z.literal('truncated') }),
  /** A gateway's error page. */
  z.strictObject({
    kind: z.literal('html'),
    status: httpStatus.default(502),
    accepted: z.boolean().default(false),
  }),
  /** Accepted, and the right body, under the wrong status. */
  z.strictObject({ kind: z.literal('status'), status: httpStatus }),
  /** Accepted, and the right status, but the record has no id. */
  z.strictObject({ kind: z.literal('no-id') }),
  /** A refusal by code. Codes of submits may be written without their prefix: the model's is added. */
  z.strictObject({
    kind: z.literal('error'),
    code: z.string().min(1),
    /** Default: the status that goes with the code. */
    status: httpStatus.optional(),
    message: z.string().optional(),
    /** Seconds for the header `Retry-After`. */
    retryAfter: z.number().min(0).optional(),
    /** Writes `Retry-After` as a date. */
    retryAfterAsDate: z.boolean().default(false),
    accepted: z.boolean().default(false),
  }),
  /** An answer that points elsewhere. */
  z.strictObject({
    kind: z.literal('redirect'),
    status: z
      .union([z.literal(301), z.literal(302), z.literal(303), z.literal(307), z.literal(308)])
      .default(307),
    location: z.string().default('/elsewhere'),
  }),
] as const;

const answerFault = z.discriminatedUnion('kind', ANSWER_FAULTS);

const taskFault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('fail'),
    code: z.enum(GENERATION_CODES).default('FAILED'),
    message: z.string().optional(),
  }),
  /** Stays in progress for good. */
  z.strictObject({ kind: z.literal('hang') }),
  /** Somebody cancels it while it runs. */
  z.strictObject({ kind: z.literal('cancel') }),
  /** GET answers 404 from then on, and no more events are sent. */
  z.strictObject({
    kind: z.literal('vanish'),
    when: z.enum(['accepted', 'started', 'finished']).default('accepted'),
  }),
  /** Takes that much longer than it would. */
  z.strictObject({ kind: z.literal('slow'), ms: milliseconds }),
]);

/** `attempts`: how many of a delivery's first attempts meet the fault; default: all of them. */
const attempts = z.int().min(1).optional();

const webhookFault = z.discriminatedUnion('kind', [
  /** Never sent. */
  z.strictObject({ kind: z.literal('lost') }),
  /** Sent that many more times after it was acknowledged. */
  z.strictObject({ kind: z.literal('repeated'), times: z.int().min(1).max(1000).default(1) }),
  z.strictObject({ kind: z.literal('late'), ms: milliseconds }),
  /** Held until the task's next event has been sent, or for `ms` if there is none. */
  z.strictObject({ kind: z.literal('reordered'), ms: milliseconds.default(2000) }),
  /** Signed with a secret that is not the endpoint's. */
  z.strictObject({ kind: z.literal('wrongly-signed'), attempts }),
  /** Sent to an address where nobody listens. */
  z.strictObject({ kind: z.literal('dead-endpoint'), attempts }),
  /** Delivered, but the acknowledgement is lost, so it is sent again. */
  z.strictObject({ kind: z.literal('unacknowledged'), attempts: z.int().min(1).default(1) }),
]);

const fileFault = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('expired'),
    status: z.int().min(400).max(599).default(403),
  }),
  /** `Content-Length` promises more than comes. */
  z.strictObject({ kind: z.literal('truncated') }),
  /** The right bytes under a wrong content type. */
  z.strictObject({ kind: z.literal('wrong-type'), contentType: z.string().default('text/html') }),
  z.strictObject({ kind: z.literal('slow'), ms: milliseconds }),
  z.strictObject({ kind: z.literal('reset') }),
]);

/** Which calls a rule is about. All that are given must hold. */
const match = z.strictObject({
  workspace: z.string().optional(),
  model: z.string().optional(),
  promptIncludes: z.string().optional(),
  taskId: z.string().optional(),
  workflowIncludes: z.string().optional(),
  event: z.enum(EVENT_TYPES).optional(),
});

/** How often a rule strikes. Without any of these: at every matching call. */
const frequency = {
  id: z.string().min(1).optional(),
  match: match.default({}),
  /** The n-th matching call (from 1), or several of them. */
  nth: z.union([z.int().min(1), z.array(z.int().min(1)).min(1)]).optional(),
  /** That share of the matching calls, drawn from the seed. */
  share: z.number().min(0).max(1).optional(),
  /** Strikes at most that often. */
  times: z.int().min(1).optional(),
};

/** A rule as it is written in a faults file or sent to the control API. */
export const faultRuleSchema = z.discriminatedUnion('on', [
  z.strictObject({ on: z.literal('submit'), ...frequency, fault: answerFault }),
  z.strictObject({ on: z.literal('get'), ...frequency, fault: answerFault }),
  z.strictObject({ on: z.literal('credits'), ...frequency, fault: answerFault }),
  z.strictObject({ on: z.literal('task'), ...frequency, fault: taskFault }),
  z.strictObject({ on: z.literal('webhook'), ...frequency, fault: webhookFault }),
  z.strictObject({ on: z.literal('file'), ...frequency, fault: fileFault }),
]);

export type FaultRuleInput = z.input<typeof faultRuleSchema>;
export type FaultRule = z.output<typeof faultRuleSchema>;
export type AnswerFault = z.output<typeof answerFault>;
export type TaskFault = z.output<typeof taskFault>;
export type WebhookFault = z.output<typeof webhookFault>;
export type FileFault = z.output<typeof fileFault>;
export type FaultOf<On extends FaultRule['on']> = Extract<FaultRule, { on: On }>['fault'];
