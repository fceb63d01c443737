import { templateField } from './input/template.ts';
import type { Model } from './models/define-model.ts';
import type { ModelOverride } from './models/override.ts';

/** A submit as it goes out. */
export interface WireRequest {
  /** Below the base URL. */
  path: string;
  body: Record<string, unknown>;
}

/**
 * A validated input as the API gets it: at the overridden path, renamed fields under their wire names. Nothing is
 * added (the API applies its own defaults) and fields that are undefined are left out.
 */
export function toWire(
  model: Pick<Model, 'path'>,
  input: Readonly<Record<string, unknown>>,
  override: ModelOverride = {},
): WireRequest {
  const names = new Map(Object.entries(override.fields ?? {}));
  const body = Object.entries(input)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => [names.get(name) ?? name, value]);
  return { path: override.path ?? model.path, body: Object.fromEntries(body) };
}

/**
 * The same for a task that is created from a template: its id goes beside the fields.
 *
 * @param templateId undefined: from none
 */
export function namingTemplate(
  wire: WireRequest,
  templateId: string | undefined,
  override: ModelOverride = {},
): WireRequest {
  if (templateId === undefined) return wire;
  return { ...wire, body: { ...wire.body, [templateField(override)]: templateId } };
}

/** The fields that a model's input can have on the wire. */
export interface WireFields {
  names: string[];
  /** Whether others may come with them, because the configuration lets unknown fields pass. */
  open: boolean;
  /**
   * The names by which tasks of other models are told from this one's: of models that could have been sent the same.
   * Another field that is not its own tells nothing. Absent: every field that is not its own tells.
   */
  foreign?: string[];
  /** Nobody has seen a normal input of the model yet: it may carry fields of others. */
  unseen?: true;
}

/** The names of a model's fields as the API knows them, those that an override renames under their wire names. */
export function wireFields(model: Pick<Model, 'fields'>, override: ModelOverride = {}): WireFields {
  const names = Object.keys(model.fields).map((name) => override.fields?.[name] ?? name);
  return { names, open: override.passUnknown === true };
}

/**
 * The reverse for a normalized input: wire names become ours again, so that it can be compared with what was asked.
 * A field that nothing renames keeps its name; where the API answers with both names, the wire name's value counts.
 */
export function fromWire(
  body: Readonly<Record<string, unknown>>,
  override: ModelOverride = {},
): Record<string, unknown> {
  const names = new Map(Object.entries(override.fields ?? {}).map(([name, wireName]) => [wireName, name]));
  const renamed = Object.entries(body).filter(([name]) => names.has(name));
  const kept = Object.entries(body).filter(([name]) => !names.has(name));
  return Object.fromEntries([...kept, ...renamed.map(([name, value]) => [names.get(name) ?? name, value])]);
}
