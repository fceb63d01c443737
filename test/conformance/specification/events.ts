import { EVENT_STATES, EVENT_TYPES } from '../../../src/api/event-types.ts';
import { DELIVERY_HEADERS, PAYLOAD_FIELDS } from '../specification-payload.ts';
import {
  accounts,
  control,
  dashboard,
  event,
  receiver,
  receiverHttp,
  type Section,
  service,
  signature,
  webhooks,
} from './row.ts';

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
  'x-webhook-timestamp': 'legacy: the same as `webhook-timestamp`',
  'x-webhook-event-id': 'legacy: the same as `webhook-id`',
  'x-webhook-event-type': 'the event type',
  'content-type': 'always `application/json`',
};

/** The chapter "Events", the dashboard's functions, and versioning. */
export const EVENTS: readonly Section[] = [
  {
    heading: 'Event types',
    rows: [
      ...EVENT_TYPES.map((type) => ({
        says: `\`${type}\`, state \`${EVENT_STATES[type]}\``,
        about: [`event ${type} ${EVENT_STATES[type]}`],
        proofs: [
          ...service(PROVEN_BY[type]),
          ...event(
            'the contract of an event > has five types, three of which are terminal, each with its state',
          ),
        ],
      })),
      {
        says: 'An endpoint gets the events of its workspace that it has enabled',
        proofs: webhooks(
          'an endpoint gets the events of its workspace that its filter names, while it is enabled',
        ),
      },
      {
        says: 'Delivery is at least once: duplicates, lost answers and other orders occur',
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
      { says: 'A `POST` with a JSON body', proofs: told },
      ...DELIVERY_HEADERS.map((name) => ({
        says: `\`${name}\`: ${HEADER_MEANING[name]}`,
        proofs: [...told, ...(name === 'webhook-id' ? retried : [])],
      })),
    ],
  },
  {
    heading: 'Payload',
    rows: [
      {
        says: '`event` and `prediction`',
        about: PAYLOAD_FIELDS.event.map((name) => `payload ${name}`),
        proofs: exactFields,
      },
      ...PAYLOAD_FIELDS.prediction.map((name) => ({
        says: `\`prediction.${name}\``,
        about: [`prediction ${name}`],
        proofs: [
          ...exactFields,
          ...event(
            'the contract of an event > has every field of the payload; those that may be null may not be missing',
          ),
          ...(name.endsWith('_at')
            ? event(`the contract of an event > has ${name} as a time that the calendar knows`)
            : []),
          ...(name === 'error'
            ? event('the contract of an event > has an error and no artifacts when the task failed')
            : []),
        ],
      })),
      {
        says: `\`credits.available\`, \`credits.usage\``,
        about: PAYLOAD_FIELDS.credits.map((name) => `event credits ${name}`),
        proofs: [...exactFields, ...told],
      },
      {
        says: '`owner`: `id` (integer), `email`, `name`, `avatar` (URL)',
        about: PAYLOAD_FIELDS.owner.map((name) => `owner ${name}`),
        proofs: exactFields,
      },
      {
        says: `Artifacts: ${PAYLOAD_FIELDS.artifact.map((name) => `\`${name}\``).join(', ')}; \`asset\` has ${PAYLOAD_FIELDS.asset.map((name) => `\`${name}\``).join(', ')}`,
        proofs: exactFields,
      },
      {
        says: 'Further fields are kept',
        proofs: event('the contract of an event > keeps further properties at every level'),
      },
    ],
  },
  {
    heading: 'Signature',
    rows: [
      {
        says: 'Standard Webhooks: base64 HMAC-SHA256 of id, timestamp and raw body with the decoded secret',
        proofs: [
          ...told,
          ...signature(
            'the published vectors > verify: *',
            'against other implementations > what the standardwebhooks package signs is accepted',
          ),
        ],
      },
      {
        says: 'Legacy: hex HMAC-SHA256 of timestamp and raw body with the secret as it is',
        proofs: [
          ...told,
          ...signature(
            'a legacy signature alone > is keyed by the secret as it is written, with or without its prefix',
            'a legacy signature alone > is accepted only where the workspace says so',
          ),
        ],
      },
      {
        says: 'A secret may carry the prefix `whsec_`',
        proofs: signature('secrets > may do without the prefix and without padding'),
      },
    ],
  },
  {
    heading: 'Receiver rules',
    rows: [
      {
        says: 'The exact raw body is verified, before it is parsed',
        proofs: [
          ...signature('a standard signature > is about every byte of the body, whatever bytes these are'),
          ...receiverHttp('refusals > come in the order of the contract, each before the next is looked at'),
        ],
      },
      {
        says: 'Signatures are compared in constant time (`timingSafeEqual`, which no test can time); every byte counts',
        proofs: signature(
          'against other implementations > what is accepted after any change, the standardwebhooks package accepts as well',
        ),
      },
      {
        says: 'Timestamps more than 5 minutes off are rejected',
        proofs: signature(
          'a standard signature > holds for 5 minutes either way, to the second',
          'a legacy signature alone > with an old timestamp is refused',
        ),
      },
      {
        says: 'Missing or invalid signature headers are rejected',
        proofs: signature(
          'a standard signature > without a signature is refused',
          'a standard signature > without an id is refused',
          'a standard signature > without a timestamp is refused',
          'a standard signature > is refused when webhook-* stands there twice, even with the same value',
        ),
      },
      {
        says: 'Deduplicated by `webhook-id`. Ids are kept by number instead of 24 hours: an event only wakes a workflow up, so a later duplicate changes nothing',
        proofs: receiver(
          'a delivery > with an id that was acknowledged is handed over only once',
          'workspaces > do not share ids: one cannot make an event of the other look like a duplicate',
        ),
      },
      {
        says: 'An older non-terminal event does not overwrite a terminal state: only the record decides, and `task.started` goes nowhere',
        proofs: receiver(
          'a delivery > of task.started, of an unknown type or for a test is acknowledged and goes nowhere',
          'a delivery > to a closed workflow, or to one that has had all its signals, is acknowledged',
        ),
      },
      {
        says: 'Only POST',
        proofs: receiverHttp(
          'refusals > come in the order of the contract, each before the next is looked at',
        ),
      },
      {
        says: 'Only `Content-Type: application/json`',
        proofs: receiverHttp(
          'refusals > the media type * is answered 204',
          'refusals > the media type * is answered 415',
        ),
      },
      {
        says: 'The raw body’s size is capped',
        proofs: receiverHttp(
          'bodies > of exactly the limit are taken, whether announced or not; one byte more is 413',
        ),
      },
    ],
  },
  {
    heading: 'Acknowledgement and retries',
    rows: [
      {
        says: 'Any 2xx acknowledges, 204 recommended',
        proofs: [
          ...webhooks(
            'what is not acknowledged is sent again under its id, until it is or the retries are used up',
          ),
          ...receiverHttp('refusals > the path /webhooks/default is answered 204'),
        ],
      },
      {
        says: 'Other answers, network failures and time-outs are retried',
        proofs: [
          ...retried,
          ...webhooks(
            'a receiver that takes too long, and one that is not there, count as not having acknowledged',
          ),
        ],
      },
      {
        says: 'Test deliveries have the same signature headers',
        proofs: [
          ...service('events > a delivery > of a test * is signed like the others'),
          ...webhooks('a test delivery is signed like the others and says that it is one'),
        ],
      },
      {
        says: 'Delivery states `pending`, `processing`, `success`, `failed`',
        proofs: webhooks(
          'a delivery is pending, then processing, then done',
          'what is not acknowledged is sent again under its id, until it is or the retries are used up',
        ),
      },
      {
        says: 'The 20 most recent attempts of an endpoint',
        proofs: webhooks('the 20 latest deliveries of an endpoint are remembered'),
      },
    ],
  },
  {
    heading: 'Dashboard functions',
    rows: [
      {
        says: 'API keys: name, scope, value shown once, revocation, rotation',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > shows a key’s value once; it works within its scope until the key is revoked',
          ),
          ...accounts('a key > is shown once, and its revocation takes effect with the next request'),
        ],
      },
      {
        says: 'Webhook endpoints: URL and test deliveries',
        proofs: dashboard(
          'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
        ),
      },
      {
        says: 'Event filter, enablement, secret rotation',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > filters, disables and enables an endpoint, and rotates its secret with an overlap',
          ),
          ...webhooks('after a rotation both secrets verify for a while, then the new one alone'),
        ],
      },
      {
        says: 'The latest delivery attempts, with payload and answer',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > creates an endpoint, tests it, shows what was sent and answered, and sends it again',
          ),
          ...webhooks('the 20 latest deliveries of an endpoint are remembered'),
        ],
      },
      {
        says: 'Usage and credits',
        proofs: [
          ...dashboard(
            'the dashboard in a browser > tops up and sets both pools with their expiry, and limits the rate of submits',
          ),
          ...control('tasks are listed newest first and can be looked up by workflow, model and state'),
        ],
      },
    ],
  },
  {
    heading: 'Versioning',
    rows: [
      { says: 'The path prefix `/api/v1`', proofs: service('requests > a path > is below /api/v1') },
      { says: 'Both generations of webhook headers are sent together', proofs: told },
      {
        says: 'The field `error` is legacy, clients use `code`',
        proofs: service(
          'refusals > a limit > of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error',
        ),
      },
    ],
  },
];
