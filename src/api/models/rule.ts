import { shown } from '../text/shown.ts';

/** What a broken rule says: the field it blames (a path below the input), and what is allowed there. */
export interface RuleViolation {
  path: string;
  message: string;
}

/** What a rule lets a field be: left out, one of some values, or within limits. */
export type Allowance<Value> =
  | 'absent'
  | readonly Value[]
  | { readonly minItems?: number; readonly maxItems?: number }
  | { readonly maximum: number };

interface RuleInWords {
  /** The rule in words, close to the API specification's. */
  says: string;
  /** The API specification only hints at it: `DARKROOM_CONFIG` can switch it off for its model. */
  assumed?: true;
}

/**
 * A rule between fields as data: where all of `when` holds, each field of `allow` that is given must be what is
 * allowed. It never makes a field required. The same data gives the check, its message and JSON Schema's
 * `if`/`then`.
 */
interface ConditionalRule<Input> extends RuleInWords {
  when: { readonly [K in keyof Input]?: 'given' | readonly NonNullable<Input[K]>[] };
  allow: { readonly [K in keyof Input]?: Allowance<NonNullable<Input[K]>> };
}

/** A rule that JSON Schema cannot express. `check` sees the input before its values are known to be right. */
export interface CustomRule extends RuleInWords {
  check: (input: Readonly<Record<string, unknown>>) => RuleViolation | undefined;
}

export type Rule<Input = Record<string, unknown>> = ConditionalRule<Input> | CustomRule;

/** All rules that an input breaks. Values of the wrong type break none: the field's own schema reports them. */
export function violations(rules: readonly Rule[], input: Record<string, unknown>): RuleViolation[] {
  return rules.flatMap((rule) => {
    if ('check' in rule) return rule.check(input) ?? [];
    return isTriggered(rule, input) ? brokenBy(rule, input) : [];
  });
}

function isTriggered(
  rule: ConditionalRule<Record<string, unknown>>,
  input: Record<string, unknown>,
): boolean {
  return Object.entries(rule.when).every(([field, condition]) => {
    const value = input[field];
    return isGiven(value) && (condition === 'given' || condition?.includes(value) === true);
  });
}

function brokenBy(
  rule: ConditionalRule<Record<string, unknown>>,
  input: Record<string, unknown>,
): RuleViolation[] {
  return Object.entries(rule.allow).flatMap(([field, allowance]) => {
    const value = input[field];
    if (allowance === undefined || !isGiven(value) || allows(allowance, value)) return [];
    const condition = whenPhrase(rule.when, input);
    const must =
      allowance === 'absent'
        ? `must be left out with ${condition}`
        : `must be ${phrase(allowance)} with ${condition}; got ${shown(value)}`;
    return { path: field, message: `${must} (${rule.says})` };
  });
}

/** Null counts as left out, as it does for the one field that takes it. */
function isGiven(value: unknown): value is object | string | number | boolean {
  return value !== undefined && value !== null;
}

function allows(allowance: Allowance<unknown>, value: unknown): boolean {
  if (allowance === 'absent') return false;
  if (isList(allowance)) return allowance.includes(value);
  if ('maximum' in allowance) return typeof value !== 'number' || value <= allowance.maximum;
  if (!Array.isArray(value)) return true;
  return value.length >= (allowance.minItems ?? 0) && value.length <= (allowance.maxItems ?? value.length);
}

function phrase(allowance: Exclude<Allowance<unknown>, 'absent'>): string {
  if (isList(allowance)) return allowance.map(String).join(' or ');
  if ('maximum' in allowance) return `at most ${allowance.maximum}`;
  const { minItems = 0, maxItems } = allowance;
  if (maxItems === undefined) return `a list of at least ${minItems}`;
  return minItems === 0 ? `a list of at most ${maxItems}` : `a list of ${minItems} to ${maxItems}`;
}

function whenPhrase(
  when: ConditionalRule<Record<string, unknown>>['when'],
  input: Record<string, unknown>,
): string {
  const conditions = Object.entries(when).map(([field, condition]) =>
    condition === 'given' ? field : `${field} ${String(input[field])}`,
  );
  return conditions.join(' and ');
}

/** Whether an allowance lists values. `Array.isArray` alone does not narrow readonly arrays. */
export function isList(allowance: Allowance<unknown>): allowance is readonly unknown[] {
  return Array.isArray(allowance);
}
