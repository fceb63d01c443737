import { CREDITS_CODES, GENERATION_CODES, GET_CODES } from '../../../src/api/codes.ts';
import { errorBodySchema } from '../../../src/api/error-body.ts';
import { EVENT_STATES } from '../../../src/api/events/event-types.ts';
import { webhookEventSchema } from '../../../src/api/events/webhook-event.ts';
import { inputSchema } from '../../../src/api/models/json-schema.ts';
import { MODEL_IDS, MODELS } from '../../../src/api/models/registry.ts';
import { creditsSchema } from '../../../src/api/records/credits.ts';
import {
  generationSchema,
  imageOutputSchema,
  QUEUE_STATES,
  videoAssetSchema,
  videoOutputSchema,
} from '../../../src/api/records/generation-record.ts';
import { type Case, casesFor } from '../cases.ts';
import { SPECIFICATION_FIELDS } from '../specification-fields.ts';
import { rowsOfModel } from './models.ts';
import type { Section } from './row.ts';

const { prediction } = webhookEventSchema.shape;

/** What the contract consists of, as the rows name it in `about`. */
const CONTRACT: readonly string[] = [
  ...named('model', MODEL_IDS),
  ...named('state', QUEUE_STATES),
  ...named('record', Object.keys(generationSchema.shape)),
  ...named('usage', Object.keys(generationSchema.shape.usage.shape)),
  ...named('video', Object.keys(videoOutputSchema.shape)),
  ...named('asset', Object.keys(videoAssetSchema.shape)),
  ...named('image', Object.keys(imageOutputSchema.shape)),
  ...named('credits', Object.keys(creditsSchema.shape)),
  ...named('error', Object.keys(errorBodySchema.shape)),
  ...named('submit code', GENERATION_CODES),
  ...named(
    'get code',
    Object.entries(GET_CODES).map(([status, code]) => `${status} ${code}`),
  ),
  ...named('credits code', CREDITS_CODES),
  ...named(
    'event',
    Object.entries(EVENT_STATES).map(([type, state]) => `${type} ${state}`),
  ),
  ...named('payload', Object.keys(webhookEventSchema.shape)),
  ...named('prediction', Object.keys(prediction.shape)),
  ...named('event credits', Object.keys(prediction.shape.credits.shape)),
  ...named('owner', Object.keys(prediction.shape.owner.unwrap().shape)),
];

/** Parts of the contract without a row, rows about what the contract has not, rows that nothing proves. */
export function whatIsMissing(sections: readonly Section[]): string[] {
  const rows = sections.flatMap((section) => section.rows);
  const covered = rows.flatMap(({ about = [] }) => about);
  return [
    ...CONTRACT.filter((part) => !covered.includes(part)).map((part) => `no row is about: ${part}`),
    ...covered.filter((part) => !CONTRACT.includes(part)).map((part) => `the contract has no: ${part}`),
    ...rows.filter(({ proofs }) => proofs.length === 0).map(({ says }) => `nothing proves: ${says}`),
    ...MODEL_IDS.flatMap(fieldsWithoutTests),
  ];
}

/** How many values of a field are tried that must be accepted, and how many inputs that it must be blamed for. */
function casesAbout(cases: readonly Case[], field: string): { inside: number; outside: number } {
  const values = cases
    .filter(({ valid, input }) => valid && field in input)
    .map(({ input }) => JSON.stringify(input[field]));
  const blamed = cases.filter(
    ({ path = '' }) => path === `input.${field}` || path.startsWith(`input.${field}.`),
  );
  return { inside: new Set(values).size, outside: blamed.length };
}

/** The field's name in a row of SPECIFICATION_FIELDS: up to its mark, its default or its limits. */
function nameOf(field: string): string {
  return /^\w+/.exec(field)?.[0] ?? '';
}

function fieldsWithoutTests(id: (typeof MODEL_IDS)[number]): string[] {
  const model = MODELS[id];
  const written = SPECIFICATION_FIELDS[id].map(nameOf);
  const properties = inputSchema(model).properties ?? {};
  const cases = casesFor(model);
  return [
    ...Object.keys(properties)
      .filter((name) => !written.includes(name))
      .map((name) => `${id}: no row is about the field ${name}`),
    ...written
      .filter((name) => !(name in properties))
      .map((name) => `${id}: the contract has no field ${name}`),
    ...written
      .filter((name) => casesAbout(cases, name).inside === 0)
      .map((name) => `${id}: no input tries the field ${name}`),
    ...written
      .filter((name) => casesAbout(cases, name).outside === 0 && properties[name]?.type !== undefined)
      .map((name) => `${id}: no input is just outside of a limit of ${name}`),
    ...rowsOfModel(id)
      .filter(({ proofs }) => proofs.length === 0)
      .map(({ says }) => `${id}: nothing proves: ${says}`),
  ];
}

function named(kind: string, names: readonly string[]): string[] {
  return names.map((name) => `${kind} ${name}`);
}
