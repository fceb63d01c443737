import type { z } from 'zod';
import type { ApiFieldError } from '../../../src/api/error-body.ts';
import { validateInput } from '../../../src/api/input/validate-input.ts';
import { toWire } from '../../../src/api/wire.ts';
import { inOurNames, type OfferedModel, renamedAway } from './model-routes.ts';

export type Normalized =
  | { kind: 'valid'; input: Record<string, unknown> }
  | { kind: 'invalid'; errors: ApiFieldError[] };

/**
 * Checks a submit's fields against the model and completes them: every field that was sent stays as it is,
 * defaults and the number of results (`n`) are added.
 *
 * @param sent under the names on the wire
 * @param defaults of the service, under those names
 */
export function normalizeInput(
  offered: OfferedModel,
  sent: Record<string, unknown>,
  defaults: Readonly<Record<string, unknown>> = {},
): Normalized {
  const { model, override } = offered;
  const ours = inOurNames(offered, sent);
  const parsed = model.each.safeParse(onlyKnown(model.fields, ours));
  const misnamed = (override.passUnknown === true ? [] : renamedAway(offered, sent)).map((path) => ({
    path,
    message: `${path} is not a field of ${model.id}`,
    code: 'unrecognized_keys',
  }));
  const errors = [...misnamed, ...fieldErrors(parsed.error, ours, offered)];
  if (!parsed.success || errors.length > 0) return { kind: 'invalid', errors };
  const completed = toWire(model, parsed.data, override).body;
  const input: Record<string, unknown> = { ...sent, ...completed, ...defaults, ...sent };
  const count = override.fields?.['n'] ?? 'n';
  if ('n' in model.fields) input[count] ??= 1;
  return { kind: 'valid', input };
}

function onlyKnown(fields: object, input: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(input).filter(([name]) => Object.hasOwn(fields, name)));
}

/** The contract's own words for what is wrong, with zod's code beside them and the wire's names in the paths. */
function fieldErrors(
  error: z.ZodError | undefined,
  input: Record<string, unknown>,
  { model, override }: OfferedModel,
): ApiFieldError[] {
  const { passUnknown, assumedRules } = override;
  const contract = { passUnknown, assumedRules };
  const codes = new Map(error?.issues.map((issue) => [issue.path.join('.'), issue.code]));
  return validateInput(model.id, input, contract).map(({ path, message }) => {
    const [first = '', ...rest] = path.split('.').slice(1);
    const ourPath = [first, ...rest].join('.');
    return {
      path: [override.fields?.[first] ?? first, ...rest].join('.'),
      message,
      // Rules between fields have no code of zod's.
      code: codes.get(ourPath) ?? (Object.hasOwn(model.fields, first) ? 'custom' : 'unrecognized_keys'),
    };
  });
}
