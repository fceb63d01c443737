import { sha256 } from '@noble/hashes/sha2.js';
import { canonicalJson } from '../json/canonical-json.ts';
import { isRecord } from '../json/is-record.ts';
import { isNestedDeeper } from '../json/nesting.ts';
import { meantFile } from './file-references.ts';
import { SOME_TEMPLATE } from './template.ts';

/** What an input's fields hold, as short digests by field name. */
export type FieldDigests = Readonly<Record<string, string>>;

/** Characters of base64url: 60 bits. Nobody finds a second value with the same ones, and they are short to keep. */
const DIGEST_LENGTH = 10;
/** More fields than any model has; an input with more of them is compared as a whole. */
export const MAX_DIGESTS = 64;
const MAX_NAME_LENGTH = 60;
/** Of lists and objects in each other; no model's input goes that deep, and deeper ones could not be walked. */
const MAX_DEPTH = 64;
/** Stands for all fields of an input with too many of them; no field has that name. */
const WHOLE = '*';
/** Stands for the template that completes an input; no field has that name either. */
const TEMPLATE = '@template';
/** In the place of a template's digest: nobody tells which one it was. */
const SOME = '?';
/** Of a value that cannot be walked: it is equal to nothing. */
const UNREADABLE = '!';

const BASE64URL = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
const encoder = new TextEncoder();

/**
 * The digests of an input, sent or normalized: bounded (at most 64, each name of at most 60 characters) whatever
 * strangers put into it, and without a word of it. Values are equal if their JSON is, in any order of an object's
 * fields, and texts whatever space is around them and however their accents are composed: an API that tidies texts up
 * like that has kept what was sent. A field that is null says no more than one that is left out (API specification, model I), so it has none.
 * Pure and without Node's modules, because workflows use it, too.
 */
export function fieldDigests(input: unknown): FieldDigests {
  if (!isRecord(input)) return {};
  const given = Object.entries(input).filter(([, value]) => value !== undefined && value !== null);
  if (given.length > MAX_DIGESTS) return { [WHOLE]: digestOf(Object.fromEntries(given)) };
  return Object.fromEntries(given.map(([name, value]) => [shortName(name), digestOf(value)]));
}

/** Whether every field of `sent` stands in `normalized` with an equal value. */
export function containsFields(normalized: FieldDigests, sent: FieldDigests): boolean {
  return Object.entries(sent).every(
    ([name, digest]) =>
      digest !== UNREADABLE && Object.hasOwn(normalized, name) && normalized[name] === digest,
  );
}

/**
 * The same of a task that is created from a template: its id is a digest beside the fields', so that it is told from
 * tasks of other templates and of none.
 *
 * @param templateId undefined: from none
 */
export function withTemplate(fields: FieldDigests, templateId: string | undefined): FieldDigests {
  if (templateId === undefined) return fields;
  return { ...fields, [TEMPLATE]: templateId === SOME_TEMPLATE ? SOME : digestOf(templateId) };
}

/** The same with the template of other digests: for a record, which has an input and tells of no template. */
export function withTemplateOf({ [TEMPLATE]: template }: FieldDigests, fields: FieldDigests): FieldDigests {
  return template === undefined ? fields : { ...fields, [TEMPLATE]: template };
}

/** Whether both are of one template, or of none; or may be, because nobody tells which one it was. */
export function areOfOneTemplate(
  { [TEMPLATE]: one }: FieldDigests,
  { [TEMPLATE]: other }: FieldDigests,
): boolean {
  if (one === other) return true;
  return one !== undefined && other !== undefined && (one === SOME || other === SOME);
}

/** The same without the template: what stands in the input. */
export function ofInput(fields: FieldDigests): FieldDigests {
  const { [TEMPLATE]: _, ...own } = fields;
  return own;
}

/** A field's name as digests are kept by: a long one is only told from others. */
export function shortName(name: string): string {
  return name.length <= MAX_NAME_LENGTH ? name : `~${digestOfText(name)}`;
}

/** A short word for a value that is JSON: equal ones have the same, whatever the order of an object's fields. */
export function digestOf(value: unknown): string {
  return isNestedDeeper(value, MAX_DEPTH) ? UNREADABLE : digestOfText(canonicalJson(value, asText));
}

function digestOfText(text: string): string {
  const hash = sha256(encoder.encode(text));
  let digest = '';
  for (let at = 0; digest.length < DIGEST_LENGTH; at += 1) digest += BASE64URL[(hash[at] ?? 0) & 63];
  return digest;
}

/** The API may change how a text is written, not what it says; a file of the store has a URL for each time it is used. */
function asText(value: unknown): unknown {
  return typeof value === 'string' ? meantFile(value.normalize('NFC').trim()) : value;
}
