import type { z } from 'zod';
import { errorBodySchema, readErrorBodySchema } from '../../../src/api/error-body.ts';
import { webhookEventSchema } from '../../../src/api/events/webhook-event.ts';
import { ERROR_PREFIX } from '../../../src/api/family.ts';
import { containsFields, fieldDigests } from '../../../src/api/input/field-digests.ts';
import { unexplained } from '../../../src/api/input/same-input.ts';
import { isRecord } from '../../../src/api/json/is-record.ts';
import { findModel } from '../../../src/api/models/registry.ts';
import { creditsSchema } from '../../../src/api/records/credits.ts';
import {
  acceptedSchema,
  generationSchema,
  readGenerationSchema,
  submittedSchema,
} from '../../../src/api/records/generation-record.ts';
import { wireFields } from '../../../src/api/wire.ts';
import { DELIVERY_HEADERS } from '../specification-payload.ts';
import type { Difference } from './difference.ts';
import { EXPECTED, type Expected, isStep } from './plan.ts';
import type { Exchange, RecordedDelivery, Recording } from './recording.ts';

/** By what is expected: the contract, and what Darkroom reads without it. */
const SCHEMAS: Record<Expected['says'], { exact: z.ZodType; read?: z.ZodType }> = {
  balance: { exact: creditsSchema },
  record: { exact: generationSchema, read: readGenerationSchema },
  accepted: { exact: submittedSchema, read: acceptedSchema },
  refusal: { exact: errorBodySchema, read: readErrorBodySchema },
};

/** Where what a service has answered is not as the contract has it. */
export function differencesFromContract({ exchanges, deliveries = [], models }: Recording): Difference[] {
  const told = (exchange: string, found: Iterable<string>): Difference[] =>
    [...found].map((says) => ({ exchange, from: 'the contract', says }));
  return [
    ...exchanges.flatMap((exchange) => [
      ...told(nameOf(exchange), ofAnswer(exchange)),
      ...told(nameOf(exchange), ofInput(exchange, models)),
    ]),
    ...deliveries.flatMap((delivery) => told(`webhook ${eventOf(delivery)}`, ofDelivery(delivery))),
  ];
}

/** The type of a webhook's event. */
export function eventOf({ body }: RecordedDelivery): string {
  return String(isRecord(body) ? body['event'] : undefined);
}

function* ofDelivery({ headers, signatures, body }: RecordedDelivery): Generator<string> {
  const event = webhookEventSchema.safeParse(body);
  for (const { path, message } of event.error?.issues ?? []) yield `its body: ${path.join('.')}: ${message}`;
  for (const name of DELIVERY_HEADERS) if (headers[name] === undefined) yield `it has no header ${name}`;
  if (!signatures.standard) yield 'its webhook-signature is not one of the endpoint’s secret';
  if (!signatures.legacy) yield 'its X-Webhook-Signature is not one of the endpoint’s secret';
  const type = isRecord(body) ? body['event'] : undefined;
  if (headers['x-webhook-event-type'] !== undefined && headers['x-webhook-event-type'] !== type)
    yield `its X-Webhook-Event-Type is ${headers['x-webhook-event-type']}, its event ${String(type)}`;
}

/** "a submit (image-l)" */
export function nameOf({ step, model }: Pick<Exchange, 'step' | 'model'>): string {
  return model === undefined ? step : `${step} (${model})`;
}

function* ofAnswer({ step, model, response }: Exchange): Generator<string> {
  if (!isStep(step)) {
    yield 'this step is of no plan that is known here';
    return;
  }
  const expected: Expected = EXPECTED[step];
  const isRefused = response.status >= 400;
  if (expected.status !== undefined && response.status !== expected.status)
    yield `its status is ${response.status}, not ${expected.status}`;
  if (isRefused !== (expected.says === 'refusal'))
    yield isRefused
      ? `it is refused with ${response.status}`
      : `it is answered ${response.status}: it is not refused`;
  const says = isRefused ? 'refusal' : expected.says === 'refusal' ? 'accepted' : expected.says;
  const { exact, read } = SCHEMAS[says];
  for (const { path, message } of exact.safeParse(response.body).error?.issues ?? [])
    yield `its body: ${path.length === 0 ? '' : `${path.join('.')}: `}${message}`;
  if (read?.safeParse(response.body).success === false) yield 'Darkroom cannot read it';
  const code = isRecord(response.body) ? response.body['code'] : undefined;
  const wanted = codeOf(expected, model);
  if (isRefused && wanted !== undefined && code !== wanted)
    yield `its code is ${String(code)}, not ${wanted}`;
}

function codeOf({ code }: Expected, model = ''): string | undefined {
  const family = findModel(model)?.family;
  return family === undefined ? code : code?.replace(/^P_/, `${ERROR_PREFIX[family]}_`);
}

/** Whether the task of a lost answer could be found by its input. */
function* ofInput(
  { step, model: id = '', request, response }: Exchange,
  models: Recording['models'],
): Generator<string> {
  const model = findModel(id);
  if (step !== 'a submit' || model === undefined || !isRecord(response.body)) return;
  const { input } = response.body;
  if (!isRecord(input) || request.body === undefined) return;
  const normalized = fieldDigests(input);
  const sent = fieldDigests(request.body);
  for (const [name, digest] of Object.entries(sent))
    if (!containsFields(normalized, { [name]: digest }))
      yield `the normalized input has another ${name}: the task of a lost answer could not be found by it`;
  const takes = wireFields(model, models[id]);
  for (const name of takes.open ? [] : Object.keys(normalized))
    if (unexplained({ [name]: '' }, sent, takes) > 0)
      yield `the normalized input has ${name}, which the model's description lacks`;
}
