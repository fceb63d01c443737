import { z } from 'zod';
import { GENERATION_CODES } from '../api/codes.ts';
import { MAX_DURATION, parseDuration } from './duration.ts';

const DURATION =
  'must be a duration above zero and up to a year, like "500ms", "10s", "2m", "1h" or a number of milliseconds';
const FACTOR = 'must be a number from 1 to 100';
const COUNT = 'must be a whole number from 0 to 1000';

const duration = z
  .union(
    [
      z.string({ error: DURATION }).regex(/^\s*(?=[\d.]*[1-9])\d+(\.\d+)?\s*(ms|s|m|h|d)\s*$/),
      z.number({ error: DURATION }).min(0.5).max(MAX_DURATION).describe('milliseconds'),
    ],
    { error: DURATION },
  )
  .meta({ examples: ['500ms', '10s', '2m', '1h', 1500] })
  .transform((value, context) => {
    const milliseconds = parseDuration(value);
    if (milliseconds !== undefined) return milliseconds;
    context.issues.push({ code: 'custom', message: DURATION, input: value });
    return z.NEVER;
  });
const factor = z.number({ error: FACTOR }).min(1).max(100);
const count = z.int({ error: COUNT }).min(0).max(1_000);

/** Credits that a budget or a cap may have: its account counts no further. */
export const MOST_CREDITS = 1e15;

const LONGEST_OWNER = 255;
const SINCE = 'must be milliseconds since the epoch';
const OWNER = 'must be the workflow id of an earlier pipeline whose budget goes on';

/** What a budget may be: `{ "credits": 500 }`. One without a number would limit nothing. */
export const budgetSchema = strict({
  credits: z
    .number({ error: `must be a number of credits above zero, and up to ${MOST_CREDITS}` })
    .positive()
    .max(MOST_CREDITS),
});

/** Of a pipeline. `of`: the workflow whose account it is, where a rerun goes on with it, and `since` when its limit was told. */
export const pipelineBudgetSchema = budgetSchema.extend({
  of: z.string({ error: OWNER }).min(1, OWNER).max(LONGEST_OWNER, OWNER).optional(),
  since: z.number({ error: SINCE }).min(0, SINCE).max(MOST_CREDITS, SINCE).optional(),
});

const row = section({ initial: duration, factor, max: duration, window: duration, resubmissions: count });

const growth = { first: duration, factor, max: duration };

/** Any subset of the policy as a caller writes it; parsed, every duration is in milliseconds. */
export const policySchema = section({
  deadline: duration,
  polling: section({ ...growth, webhooks: section(growth), none: section(growth) }),
  submit: section({ timeout: duration, heartbeat: duration }),
  reconcile: section({
    wait: duration,
    otherwise: z.enum(['ask', 'resubmit', 'fail'], { error: 'must be "ask", "resubmit" or "fail"' }),
  }),
  vanished: section({ wait: duration }),
  outputs: section({ wait: duration }),
  retries: section(Object.fromEntries(GENERATION_CODES.map((code) => [code, row]))),
  budget: budgetSchema,
});

/** An object with any of these fields, and no other. */
function section<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return strict(shape).partial();
}

/** An object with these fields, and no other. */
function strict<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const known = Object.keys(shape).join(', ');
  return z.strictObject(shape, {
    error: ({ code }) =>
      code === 'unrecognized_keys'
        ? `is not known; allowed: ${known}`
        : `must be an object with any of: ${known}`,
  });
}
