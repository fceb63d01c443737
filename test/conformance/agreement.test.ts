import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import * as fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Emulator, startEmulator } from '../../emulator/src/server.ts';
import { CREDITS_CODES, GENERATION_CODES, GET_CODES } from '../../src/api/codes.ts';
import { errorBodySchema } from '../../src/api/error-body.ts';
import { webhookEventSchema } from '../../src/api/events/webhook-event.ts';
import { ERROR_PREFIX } from '../../src/api/family.ts';
import { validateInput } from '../../src/api/input/validate-input.ts';
import type { Model } from '../../src/api/models/define-model.ts';
import { exampleInput } from '../../src/api/models/describe.ts';
import { inputSchema } from '../../src/api/models/json-schema.ts';
import { MODELS } from '../../src/api/models/registry.ts';
import { creditsSchema } from '../../src/api/records/credits.ts';
import {
  generationSchema,
  submittedSchema,
  TERMINAL_STATES,
} from '../../src/api/records/generation-record.ts';
import { ApiCaller, type Called } from '../emulator/api-caller.ts';
import { casesFor } from './cases.ts';
import { justOutside, within } from './field-values.ts';

let emulator: Emulator;
let api: ApiCaller;
beforeAll(async () => {
  emulator = await startEmulator({
    port: 0,
    media: 'tiny',
    durations: { queue: 60_000, run: 60_000 },
    accounts: [{ workspace: 'default', credits: { permanent: Number.MAX_SAFE_INTEGER } }],
    endpoints: [{ workspace: 'default', url: 'http://127.0.0.1:9/' }],
  });
  api = new ApiCaller(emulator);
});
afterAll(() => emulator.close());

const models: readonly Model[] = Object.values(MODELS);
const anyModel = fc.constantFrom(...models);
const isSuccess = (status: number) => status >= 200 && status < 300;

const ajv = new Ajv2020({
  strict: true,
  strictRequired: false,
  formats: { uri: (value) => URL.canParse(value) },
});
const published = new Map(
  models.map(({ id }) => {
    const file = new URL(`../../docs/schemas/${id}.json`, import.meta.url);
    return [id, ajv.compile(JSON.parse(readFileSync(file, 'utf8')))];
  }),
);

/** An input near the limits: each field left out, at a limit, just outside of one, or anything. */
const nearby = anyModel.chain((model) => {
  const valid = casesFor(model).filter((one) => one.valid);
  const fields = Object.entries(inputSchema(model).properties ?? {}).map(([name, field]) => {
    const right = within(field).map(({ value }) => value);
    const wrong = justOutside(field).map(({ value }) => value);
    const rare = fc.oneof(fc.constantFrom(undefined, ...wrong), fc.jsonValue({ maxDepth: 2 }));
    const value = fc.oneof({ weight: 20, arbitrary: fc.constantFrom(undefined, ...right) }, rare);
    return [name, value] as const;
  });
  return fc
    .tuple(fc.constantFrom(...valid.map(({ input }) => input)), fc.record(Object.fromEntries(fields)))
    .map(([base, changes]) => {
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      const input = { ...base, ...Object.fromEntries(given) };
      return { model, input: JSON.parse(JSON.stringify(input)) as Record<string, unknown> }; // as it goes out
    });
});

test('the contract, the published JSON Schemas and the service agree about every input near a limit', async () => {
  const accepted = { yes: 0, no: 0 };
  await fc.assert(
    fc.asyncProperty(nearby, async ({ model, input }) => {
      const errors = validateInput(model.id, input);
      const { status, body } = await submit(model, input);
      // What costs more than there is was found valid first.
      const taken = isSuccess(status) || status === 402;
      accepted[taken ? 'yes' : 'no'] += 1;
      expect(taken ? [] : body.errors.map(({ path }: { path: string }) => `input.${path}`)).toEqual(
        errors.map(({ path }) => path),
      );
      // Rules that JSON Schema cannot say (image-n's references) only ever refuse more.
      const sayable = errors.length === 0 || !model.rules.some((rule) => 'check' in rule);
      expect(sayable ? published.get(model.id)?.(input) : taken).toBe(taken);
    }),
    { numRuns: 500 },
  );
  expect(Math.min(accepted.yes, accepted.no)).toBeGreaterThan(50);
});

const CODES: ReadonlySet<string> = new Set([
  ...GENERATION_CODES,
  ...Object.values(ERROR_PREFIX).flatMap((prefix) => GENERATION_CODES.map((code) => `${prefix}_${code}`)),
  ...Object.values(GET_CODES),
  ...CREDITS_CODES,
]);

/** What is wrong with an answer; undefined: it is a 2xx that the schema takes, or a 4xx with a known code. */
function wrongWith({ status, body }: Called, schema: z.ZodType): unknown {
  const parsed = (isSuccess(status) ? schema : errorBodySchema).safeParse(body);
  if (!parsed.success) return { status, body, wrong: z.prettifyError(parsed.error) };
  if (isSuccess(status) || (status >= 400 && status < 500 && CODES.has(body.code))) return undefined;
  return { status, body };
}

test('whatever is submitted, the answer is an accepted record or an error body with a known code', async () => {
  const body = fc.oneof(
    nearby.map(({ input }) => JSON.stringify(input)),
    fc.jsonValue().map((value) => JSON.stringify(value)),
    fc.tuple(nearby, fc.nat(200)).map(([{ input }, end]) => JSON.stringify(input).slice(0, end)),
    fc.string({ unit: 'binary' }),
  );
  const path = fc.oneof(
    { weight: 4, arbitrary: anyModel.map((model) => model.path) },
    fc.webPath().map((path) => `generation${path}`),
  );
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'text/plain',
    'multipart/form-data; boundary=x',
  ];
  await fc.assert(
    fc.asyncProperty(path, body, fc.constantFrom(...types), async (path, body, type) => {
      const headers = { authorization: `Bearer ${emulator.apiKey}`, 'content-type': type };
      const answer = await api.call('POST', `${emulator.baseUrl}/${path}`, body, headers);
      expect(wrongWith(answer, submittedSchema)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('whatever is read, the answer is a record, a balance or an error body with a known code', async () => {
  const segment = fc.oneof(fc.webSegment(), fc.string({ unit: 'binary-ascii' }).map(encodeURIComponent));
  const path = fc.oneof(
    fc.constant('credits'),
    segment.map((id) => `generation/${id}`),
    fc.webPath().map((rest) => `generation${rest}`),
  );
  const headers = fc.record(
    {
      authorization: fc.oneof(fc.constant(''), fc.base64String()),
      'x-workspace': fc.constantFrom('default', 'other', '__proto__'),
    },
    { requiredKeys: [] },
  );
  await fc.assert(
    fc.asyncProperty(path, headers, async (path, more) => {
      const authorization = `Bearer ${emulator.apiKey}`;
      const url = `${emulator.baseUrl}/${path}`;
      const answer = await api.call('GET', url, undefined, { authorization, ...more });
      expect(wrongWith(answer, creditsSchema)).toBeUndefined();
    }),
    { numRuns: 300 },
  );
});

test('whatever happens to a task, its records and events fit the contract and it never moves back', async () => {
  await api.control('PUT /workspaces/default/credits', { permanent: 1_000_000 });
  const [endpoint] = (await api.control('GET /endpoints')).body;
  const fail = fc.constantFrom(...GENERATION_CODES).map((code) => ({ act: 'fail', how: { code } }));
  const act = fc.constantFrom('start', 'finish', 'cancel', 'hang', 'start', 'hang');
  const step = fc.oneof({ weight: 4, arbitrary: act.map((act) => ({ act, how: {} })) }, fail);
  await fc.assert(
    fc.asyncProperty(anyModel, fc.array(step, { maxLength: 6 }), async (model, steps) => {
      const { id } = submittedSchema.parse((await submit(model, exampleInput(model))).body);
      const read = async () => generationSchema.parse((await api.get(id)).body);
      let before = await read();
      for (const { act, how } of steps) {
        const { status } = await api.control(`POST /tasks/${id}/${act}`, how);
        const record = await read();
        const wasOver = TERMINAL_STATES.has(before.status);
        expect(wasOver ? [record, status] : [rank(record) >= rank(before), true]).toEqual(
          wasOver ? [before, 409] : [true, status === 200 || TERMINAL_STATES.has(record.status)],
        );
        before = record;
      }
      const { body: deliveries } = await api.control(`GET /endpoints/${endpoint.id}/deliveries`);
      for (const { payload } of deliveries) webhookEventSchema.parse(payload);
    }),
    { numRuns: 60 },
  );
});

function rank({ status }: { status: string }): number {
  return ['IN_QUEUE', 'IN_PROGRESS'].indexOf(status) + 1 || 3;
}

async function submit(model: Model, input: Record<string, unknown>): Promise<Called> {
  return await api.submit(model.path.replace('generation/darkroom/', ''), input);
}
