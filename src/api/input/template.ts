import { isRecord } from '../json/is-record.ts';
import type { ModelOverride } from '../models/override.ts';

/**
 * How a submit names a template where `DARKROOM_CONFIG` says nothing else. Assumed: the API specification shows that
 * a task may be created from a template, that `TEMPLATE_NOT_FOUND` refuses an unknown one, and no more.
 */
const TEMPLATE_FIELD = 'template_id';

/** Ids of templates are not shown: printable, without spaces, and of some length; a pattern that every language has. */
export const TEMPLATE_ID: RegExp = /^[!-~]{1,200}$/;

/** Stands for the id of a template of which nobody tells the id; no id has spaces. */
export const SOME_TEMPLATE = 'some template';

/** The name of a submit's field that names a template. */
export function templateField({ templateField: configured }: ModelOverride = {}): string {
  return configured ?? TEMPLATE_FIELD;
}

/** What is wrong with a template's id, to follow the field's path; undefined: it may be sent. */
export function wrongTemplateId(value: unknown): string | undefined {
  if (typeof value === 'string' && TEMPLATE_ID.test(value)) return undefined;
  return "must be a template's id: 1 to 200 ASCII characters without spaces";
}

/**
 * What an event's `prediction.template` tells: the id of the template that the task was created from. The API
 * specification shows that the metadata is an object or null, not what is in it: `id` is assumed. Metadata
 * without one does not tell which template it was, and the task may be of any.
 *
 * @returns undefined where the task was created from none
 */
export function templateIdOf(metadata: unknown): string | undefined {
  if (!isRecord(metadata) || Object.keys(metadata).length === 0) return undefined;
  const { id } = metadata;
  return typeof id === 'string' || typeof id === 'number' ? String(id) : SOME_TEMPLATE;
}
