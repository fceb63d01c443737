import { z } from 'zod';
import { notAModel } from '../api/models/override.ts';
import { isModelId } from '../api/models/registry.ts';
import { MOST_TAGS, TAG } from '../contract/tags.ts';
import { CAP_ACTIONS, type Cap } from '../policy/caps.ts';
import { PERIODS } from '../policy/periods.ts';
import { MOST_CREDITS } from '../policy/policy-schema.ts';

/** A part of workflow ids. */
const NAME = /^[A-Za-z0-9][\w.-]{0,63}$/;
const MOST_CAPS = 100;
const TAG_FORM = 'must be 1 to 64 letters, digits, dots, underscores, hyphens or colons';

const writtenSchema = z.strictObject({
  name: z.string().regex(NAME, 'must be of letters, digits, . _ and -, at most 64 of them'),
  workspace: z.string().optional(),
  model: z
    .string()
    .superRefine((id, context) => {
      if (!isModelId(id)) context.addIssue({ code: 'custom', message: notAModel(id) });
    })
    .optional(),
  tag: z
    .record(z.string().regex(TAG, TAG_FORM), z.string().regex(TAG, TAG_FORM))
    .refine((tag) => Object.keys(tag).length <= MOST_TAGS, `must name at most ${MOST_TAGS} tags`)
    .optional(),
  per: z.enum(PERIODS),
  credits: z.number().min(0).max(MOST_CREDITS),
  // oxlint-disable-next-line unicorn/no-thenable -- the file's word; what is read of it has another
  then: z.enum(CAP_ACTIONS),
});

const capSchema = writtenSchema.transform(({ then, ...cap }): Cap => ({ ...cap, action: then }));

export const capsSchema = z
  .array(capSchema)
  .max(MOST_CAPS)
  .superRefine((caps: readonly Cap[], context) => {
    const names = new Set<string>();
    for (const [index, { name }] of caps.entries()) {
      if (names.has(name))
        context.addIssue({ code: 'custom', path: [index, 'name'], message: 'is the name of another cap' });
      names.add(name);
    }
  });

export const CAP_FIELDS: readonly string[] = Object.keys(writtenSchema.shape);
