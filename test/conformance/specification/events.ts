import { EVENT_STATES, EVENT_TYPES } from '../../../src/api/events/event-types.ts';
import { DELIVERY_HEADERS, PAYLOAD_FIELDS } from '../specification-payload.ts';
import { change, event, type Mutant, payload, type Section, service, webhooks } from './row.ts';

const told = service(
  'events > a task that completes > tells so in signed events whose payload has every field',
);
const exactFields = service(
  'events > a task that completes > tells it in exactly the fields that are shown, created before started before completed',
);
const retried = service('events > a delivery > that is answered * comes again under its id, freshly signed');

const PROVEN_BY: Record<(typeof EVENT_TYPES)[number], string> = {
  'task.created': 'events > a task that completes > tells so in signed events whose payload has every field',
  'task.started':
    'events > a task that completes > tells it in exactly the fields that are shown, created before started before completed',
  'task.completed':
    'events > a task that completes > tells so in signed events whose payload has every field',
  'task.failed':
    'events > a task that does not complete > tells that it failed, with a sanitized error and without artifacts',
  'task.canceled': 'events > a task that does not complete > tells that it was canceled, without an error',
};

const HEADER_MEANING: Record<(typeof DELIVERY_HEADERS)[number], string> = {
  'webhook-id': 'event id, the same for every attempt',
  'webhook-timestamp': 'Unix seconds',
  'webhook-signature': '`v1,` and base64',
  'x-webhook-signature': 'legacy: `v1=` and hex',
  'x-webhook-timestamp': 'legacy: as `webhook-timestamp`',
  'x-webhook-event-id': 'legacy: as `webhook-id`',
  'x-webhook-event-type': 'the event type',
  'content-type': 'always `application/json`',
};

/** The payload without a field, wherever that stands. */
function without(field: string): Mutant {
  const last = 'this.#parts.assumptions.templateMetadata),\n';
  return change(
    'emulator/src/webhooks/deliveries.ts',
    last,
    `${last}(key, value) => (key === '${field}' ? undefined : value),\n`,
  );
}

/** Event types, the delivery request and its payload. */
export const EVENTS: readonly Section[] = [
  {
    heading: 'Event types',
    rows: [
      ...EVENT_TYPES.map((type) => ({
        says: `\`${type}\`, state \`${EVENT_STATES[type]}\``,
        about: [`event ${type} ${EVENT_STATES[type]}`],
        mutant: change(
          'emulator/src/webhooks/payload.ts',
          'const state = EVENT_STATES[type];\n  return {',
          `const state = type === '${type}' ? 'unknown' : EVENT_STATES[type];\n  return {`,
        ),
        proofs: [
          ...service(PROVEN_BY[type]),
          ...event(
            'the contract of an event > has five types, three of which are terminal, each with its state',
          ),
        ],
      })),
      {
        says: 'An endpoint gets the enabled events of its workspace',
        mutant: change(
          'emulator/src/webhooks/endpoints.ts',
          'endpoint.enabled && endpoint.events.includes(type)',
          'endpoint.enabled',
        ),
        proofs: webhooks(
          'an endpoint gets the events of its workspace that its filter names, while it is enabled',
        ),
      },
      {
        says: 'At least once: duplicates, lost answers, other orders occur',
        mutant: change(
          'emulator/src/webhooks/deliveries.ts',
          "if (acknowledged && fault?.kind === 'repeated'",
          "if (!acknowledged && fault?.kind === 'repeated'",
        ),
        proofs: webhooks(
          'webhooks can be repeated',
          'webhooks can be unacknowledged',
          'webhooks can be reordered',
          'webhooks can be late',
          'webhooks can be lost',
        ),
      },
    ],
  },
  {
    heading: 'Delivery request',
    rows: [
      {
        says: 'A `POST` with a JSON body',
        mutant: change('emulator/src/webhooks/send.ts', "method: 'POST'", "method: 'PUT'"),
        proofs: told,
      },
      ...DELIVERY_HEADERS.map((name) => ({
        says: `\`${name}\`: ${HEADER_MEANING[name]}`,
        mutant: change('emulator/src/webhooks/send.ts', `        '${name}': `, `        'not-${name}': `),
        proofs: [...told, ...(name === 'webhook-id' ? retried : [])],
      })),
    ],
  },
  {
    heading: 'Payload',
    rows: [
      {
        says: '`event` and `prediction`',
        mutant: without('event'),
        about: PAYLOAD_FIELDS.event.map((name) => `payload ${name}`),
        proofs: exactFields,
      },
      ...PAYLOAD_FIELDS.prediction.map((name) => ({
        says: `\`prediction.${name}\``,
        about: [`prediction ${name}`],
        mutant: without(name),
        proofs: [
          ...exactFields,
          ...event(
            'the contract of an event > has every field of the payload; those that may be null may not be missing',
          ),
          ...(name.endsWith('_at')
            ? event(`the contract of an event > has ${name} as a time that the calendar knows`)
            : []),
          ...(name === 'template'
            ? payload(
                'the events of a task > tell which template it was created from, or that it was from none',
              )
            : []),
          ...(name === 'error'
            ? event('the contract of an event > has an error and no artifacts when the task failed')
            : []),
        ],
      })),
      {
        says: `\`credits.available\`, \`credits.usage\``,
        mutant: without('usage'),
        about: PAYLOAD_FIELDS.credits.map((name) => `event credits ${name}`),
        proofs: [
          ...exactFields,
          ...payload('the events of a task > tell what it has used, and what is available after it'),
        ],
      },
      {
        says: '`owner`: `id` (integer), `email`, `name`, `avatar` (URL)',
        mutant: without('avatar'),
        about: PAYLOAD_FIELDS.owner.map((name) => `owner ${name}`),
        proofs: exactFields,
      },
      {
        says: `Artifacts: ${PAYLOAD_FIELDS.artifact.map((name) => `\`${name}\``).join(', ')}; \`asset\` has ${PAYLOAD_FIELDS.asset.map((name) => `\`${name}\``).join(', ')}`,
        mutant: without('like_count'),
        proofs: exactFields,
      },
      {
        says: 'Further fields are kept',
        mutant: change(
          'src/api/events/webhook-event.ts',
          'prediction: z.looseObject({',
          'prediction: z.object({',
        ),
        proofs: event('the contract of an event > keeps further properties at every level'),
      },
    ],
  },
];
