import { z } from 'zod';
import { keysOf } from '../../../src/api/json/keys-of.ts';

/** The checks of a submit in their usual order, each with those that must have been made before it. */
const NEEDS = {
  key: [],
  workspace: ['key'],
  model: [],
  'rate limit': ['workspace', 'model'],
  body: ['workspace', 'model'],
  template: ['body'],
  input: ['template'],
  credits: ['input'],
  moderation: ['template'],
} as const satisfies Record<string, readonly string[]>;

export type CheckName = keyof typeof NEEDS;

export const CHECK_NAMES = keysOf(NEEDS);

/** Every check once, none before what it needs. */
export const checkOrder: z.ZodType<CheckName[]> = z
  .array(z.enum(CHECK_NAMES))
  .superRefine((order, context) => {
    const missing = CHECK_NAMES.filter((name) => order.filter((one) => one === name).length !== 1);
    if (missing.length > 0) context.addIssue(`must name each of these once: ${missing.join(', ')}`);
    for (const [place, name] of order.entries()) {
      const late = NEEDS[name].find((needed) => order.indexOf(needed) > place);
      if (late !== undefined) context.addIssue(`must have "${late}" before "${name}"`);
    }
  });
