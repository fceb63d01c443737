import {
  change,
  methods,
  payload,
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
const retried = service('events > a delivery > that is answered * comes again under its id, freshly signed');

/** Signatures, what a receiver has to do, and what becomes of deliveries that are not acknowledged. */
export const RECEIVING: readonly Section[] = [
  {
    heading: 'Signature',
    rows: [
      {
        says: 'Standard Webhooks: base64 HMAC-SHA256 of id, timestamp, raw body with the decoded secret',
        mutant: change('src/webhooks/signature/signed-by.ts', "digest('base64')", "digest('base64url')"),
        proofs: [
          ...told,
          ...signature(
            'the published vectors > verify: *',
            'against other implementations > what the standardwebhooks package signs is accepted',
          ),
        ],
      },
      {
        says: 'Legacy: hex HMAC-SHA256 of timestamp, raw body with the secret as written',
        mutant: change(
          'src/webhooks/signature/signed-by.ts',
          'hmac(key, `${timestamp}.`, body)',
          'hmac(key, timestamp, body)',
        ),
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
        mutant: change(
          'src/webhooks/signature/secrets.ts',
          'text.startsWith(PREFIX) ? text.slice(PREFIX.length) : text',
          'text.slice(PREFIX.length)',
        ),
        proofs: signature('secrets > may do without the prefix and without padding'),
      },
    ],
  },
  {
    heading: 'Receiver rules',
    rows: [
      {
        says: 'The exact raw body is verified before parsing',
        mutant: change(
          'src/webhooks/signature/signed-by.ts',
          '.update(body)',
          '.update(Buffer.from(body).toString())',
        ),
        proofs: [
          ...signature('a standard signature > is about every byte of the body, whatever bytes these are'),
          ...receiverHttp('refusals > come in the order of the contract, each before the next is looked at'),
        ],
      },
      {
        says: 'Signatures are compared in constant time (`timingSafeEqual`; untimed in tests); every byte counts',
        mutant: change(
          'src/webhooks/signature/signed-by.ts',
          "timingSafeEqual(Buffer.from(expected, 'latin1'), Buffer.from(given, 'latin1'))",
          'expected.startsWith(given.slice(0, 40))',
        ),
        proofs: signature(
          'against other implementations > what is accepted after any change, the standardwebhooks package accepts as well',
        ),
      },
      {
        says: 'Timestamps outside of the recommended 5 minutes are rejected',
        mutant: change(
          'src/webhooks/signature/verify.ts',
          'TIMESTAMP_TOLERANCE = 5 * 60',
          'TIMESTAMP_TOLERANCE = 5 * 60 + 1',
        ),
        proofs: signature(
          'a standard signature > holds for 5 minutes either way, to the second',
          'a legacy signature alone > with an old timestamp is refused',
        ),
      },
      {
        says: 'Missing or invalid signature headers are rejected',
        mutant: change(
          'src/webhooks/signature/signature-headers.ts',
          'if (headers[field] !== undefined) return undefined;',
          '',
        ),
        proofs: signature(
          'a standard signature > without a signature is refused',
          'a standard signature > without an id is refused',
          'a standard signature > without a timestamp is refused',
          'a standard signature > is refused when webhook-* stands there twice, even with the same value',
        ),
      },
      {
        says: 'Deduplicated by `webhook-id` for 24 hours, within a limit; a later duplicate only wakes a workflow',
        mutant: change('src/webhooks/routing/recent-ids.ts', '25 * 60 * 60_000', '23 * 60 * 60_000'),
        proofs: receiver(
          'a delivery > with an id that was acknowledged is handed over only once',
          'a delivery > is known by its id for 24 hours',
          'workspaces > do not share ids: one cannot make an event of the other look like a duplicate',
        ),
      },
      {
        says: 'An older non-terminal event does not overwrite a terminal state: only the record decides',
        mutant: change(
          'src/webhooks/routing/created-event.ts',
          "isHeld ? 'held' : handOverTask",
          'handOverTask',
        ),
        proofs: receiver(
          "task.started > is looked up like task.created: a task that a workflow holds is nobody else's",
          'a delivery > to a closed workflow, or to one that has had all its signals, is acknowledged',
        ),
      },
      {
        says: 'Only POST',
        mutant: change('src/webhooks/http/read-request.ts', "method !== 'POST'", "method === 'GET'"),
        proofs: methods('a delivery by * is refused, however well it is signed: only POST is taken'),
      },
      {
        says: 'Only `Content-Type: application/json`',
        mutant: change(
          'src/webhooks/http/read-request.ts',
          "return essence === 'application/json' &&",
          'return',
        ),
        proofs: receiverHttp(
          'refusals > the media type * is answered 204',
          'refusals > the media type * is answered 415',
        ),
      },
      {
        says: 'The raw body’s size is capped',
        mutant: change(
          'src/webhooks/http/read-request.ts',
          'pieces.size + chunk.length > maxBytes',
          'pieces.size + chunk.length > maxBytes + 1',
        ),
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
        mutant: change('emulator/src/webhooks/deliveries.ts', 'attempt.status < 300', 'attempt.status < 204'),
        proofs: [
          ...payload(
            'a delivery that is answered * is acknowledged',
            'a delivery that is answered * is not acknowledged',
          ),
          ...receiverHttp('refusals > the path /webhooks/default is answered 204'),
        ],
      },
      {
        says: 'Other answers, network failures, time-outs are retried',
        mutant: change(
          'emulator/src/webhooks/deliveries.ts',
          'this.#parts.pace.retries[attempts.length - 1]',
          'undefined',
        ),
        proofs: [
          ...retried,
          ...webhooks(
            'a receiver that takes too long, and one that is not there, count as not having acknowledged',
          ),
        ],
      },
      {
        says: 'Test deliveries have the same signature headers',
        mutant: change(
          'emulator/src/webhooks/deliveries.ts',
          'secrets: activeSecrets(endpoint, Date.now())',
          'secrets: delivery.test ? [] : activeSecrets(endpoint, Date.now())',
        ),
        proofs: [
          ...service('events > a delivery > of a test * is signed like the others'),
          ...webhooks('a test delivery is signed like the others and says that it is one'),
        ],
      },
      {
        says: 'Delivery states `pending`, `processing`, `success`, `failed`',
        mutant: change(
          'emulator/src/webhooks/delivery-log.ts',
          "delivery.state = 'processing'",
          "delivery.state = 'pending'",
        ),
        proofs: webhooks(
          'a delivery is pending, then processing, then done',
          'a delivery that could not be queued has failed without an attempt',
          'what is not acknowledged is sent again under its id, until it is or the retries are used up',
        ),
      },
      {
        says: 'An endpoint’s 20 most recent attempts',
        mutant: change('emulator/src/webhooks/delivery-log.ts', 'SHOWN = 20', 'SHOWN = 21'),
        proofs: payload('of an endpoint the 20 most recent attempts are shown, not fewer and not more'),
      },
    ],
  },
];
