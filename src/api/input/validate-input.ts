import { isRecord } from '../json/is-record.ts';
import type { Model } from '../models/define-model.ts';
import { inputSchema, schemaAt } from '../models/json-schema.ts';
import { type ModelOverride, notAField, notAModel, rulesInForce } from '../models/override.ts';
import { findModel } from '../models/registry.ts';
import { type Rule, violations } from '../models/rule.ts';
import { shown, shownName } from '../text/shown.ts';
import { allowedValues } from './allowed-values.ts';
import type { FieldError } from './field-error.ts';
import { listErrors, type Mistake } from './mistakes.ts';
import { templateField } from './template.ts';

/**
 * Everything that is wrong with a model's input, one entry a field; empty when it may be submitted. Paths are
 * `model`, `input`, `input.aspect_ratio`, `input.image_urls.2`; messages say what was wrong and what is allowed,
 * and repeat nothing of the caller's that is longer than 60 characters. A field that the model does not know is
 * refused unless the override passes unknown fields. Takes any value and never throws.
 *
 * @param from `template`: a template completes the input, so nothing is required of what is left
 */
export function validateInput(
  modelId: string,
  input: unknown,
  override: ModelOverride = {},
  from: InputSource = 'caller',
): FieldError[] {
  try {
    return listErrors(inputMistakes(modelId, input, override, from), 'input');
  } catch {
    return UNREADABLE;
  }
}

/** Who gives an input: the caller all of it, or a template what the caller leaves open. */
export type InputSource = 'caller' | 'template';

/** Only a value with code of its own (a getter, a proxy) or without a bottom cannot be read. */
const UNREADABLE = [{ path: 'input', message: 'must be plain data; reading it failed' }];

/** The same before it is cut to what a person reads: for those who list the mistakes of more than one input. */
export function inputMistakes(
  modelId: string,
  input: unknown,
  override: ModelOverride | undefined = {},
  from: InputSource,
): Mistake[] {
  const model = typeof modelId === 'string' ? findModel(modelId) : undefined;
  if (model === undefined) {
    return [{ path: 'model', message: notAModel(typeof modelId === 'string' ? modelId : shown(modelId)) }];
  }
  if (!isRecord(input)) {
    return [{ path: 'input', message: `must be an object with ${model.id}'s fields; got ${shown(input)}` }];
  }
  try {
    return mistakes(model, input, override, from);
  } catch {
    return UNREADABLE;
  }
}

function mistakes(
  model: Model,
  input: Record<string, unknown>,
  override: ModelOverride,
  from: InputSource,
): Mistake[] {
  const names = Object.keys(model.fields);
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const known = Object.fromEntries(given.filter(([name]) => names.includes(name)));
  const unknown = given.filter(([name]) => !names.includes(name));
  const result = model.each.safeParse(known);
  const isLeftOpen = ([name]: readonly PropertyKey[]): boolean =>
    from === 'template' && !Object.hasOwn(known, String(name));
  return [
    ...unknown.flatMap(([name]) => unknownField(model, name, names, override) ?? []),
    ...(result.error?.issues ?? [])
      .filter(({ path }) => !isLeftOpen(path))
      .map(({ path }) => ({ path: pathOf(path), message: () => wrongValue(model, path, input) })),
    ...violations(rulesFor(model, override, from), known).map(({ path, message }) => ({
      path: `input.${path}`,
      message,
    })),
  ];
}

/**
 * What the template adds breaks no rule that says what else may stand beside a field: those that look at the whole
 * input cannot be judged before it is whole.
 */
function rulesFor(model: Model, override: ModelOverride, from: InputSource): readonly Rule[] {
  const rules = rulesInForce(model, override);
  return from === 'caller' ? rules : rules.filter((rule) => !('check' in rule));
}

const TEMPLATE_ELSEWHERE = 'names a template: that is templateId, which stands beside the input';

function unknownField(
  model: Model,
  name: string,
  names: readonly string[],
  override: ModelOverride,
): Mistake | undefined {
  const path = pathOf([name]);
  const [ours] = Object.entries(override.fields ?? {}).find(([, wireName]) => wireName === name) ?? [];
  if (ours !== undefined) return { path, message: () => `is ${ours}'s name on the wire; write ${ours}` };
  if (name === templateField(override)) return { path, message: TEMPLATE_ELSEWHERE };
  if (name === '__proto__') return { path, message: () => 'is not a field name that can be sent' };
  if (override.passUnknown === true) return undefined;
  return { path, message: name === 'templateId' ? TEMPLATE_ELSEWHERE : () => notAField(model, name, names) };
}

/** The field's own limits make the message, so that it always says all that is allowed. */
function wrongValue(model: Model, path: readonly PropertyKey[], input: Record<string, unknown>): string {
  const schema = schemaAt(inputSchema(model), path);
  const allowed = schema === undefined ? 'different' : allowedValues(schema);
  const value = path.reduce<unknown>(child, input);
  return value === undefined ? `is required: ${allowed}` : `must be ${allowed}; got ${shown(value)}`;
}

function pathOf(keys: readonly PropertyKey[]): string {
  return ['input', ...keys.map((key) => shownName(String(key)))].join('.');
}

function child(parent: unknown, key: PropertyKey): unknown {
  if (typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, key)) return undefined;
  return Reflect.get(parent, key);
}
