import type { z } from 'zod';
import type { FieldError } from '../api/input/field-error.ts';
import { layOver } from './lay-over.ts';
import type { Policy } from './policy.ts';
import { pipelineBudgetSchema, policySchema } from './policy-schema.ts';

/**
 * Lays any subset of the policy over `base`. Never throws: what is wrong is reported with its path, and then the base
 * is what comes out.
 */
export function parsePolicy(
  value: unknown,
  base: Policy,
  path = 'policy',
): { policy: Policy; errors: FieldError[] } {
  const { data, errors } = read(policySchema, value, path);
  return { policy: layOver(base, data) as Policy, errors }; // the subset's schema has the base's fields
}

/** A budget beside the policy, as a pipeline has it: `{ "credits": 500 }`. */
export function parseBudget(value: unknown): {
  budget: { credits: number } | undefined;
  errors: FieldError[];
} {
  const { data, errors } = read(pipelineBudgetSchema, value, 'budget');
  return { budget: data, errors };
}

function read<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  path: string,
): { data: z.output<Schema> | undefined; errors: FieldError[] } {
  if (value === undefined) return { data: undefined, errors: [] };
  const { data, error } = schema.safeParse(value);
  const errors = (error?.issues ?? []).flatMap((issue): FieldError[] => {
    const at = [path, ...issue.path.map(String)].join('.');
    const names = issue.code === 'unrecognized_keys' ? issue.keys.map((key) => `${at}.${key}`) : [at];
    return names.map((name) => ({ path: name, message: issue.message }));
  });
  return { data, errors };
}
