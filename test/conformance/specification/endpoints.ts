import {
  accounts,
  agreement,
  event,
  made,
  mediaApi,
  paths,
  type Section,
  service,
  submitting,
} from './row.ts';

/** The chapters about states, endpoints and authentication. */
export const ENDPOINTS: readonly Section[] = [
  {
    heading: 'States and transitions',
    rows: [
      ...(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED'] as const).map((state) => ({
        says: `Task state \`${state}\``,
        about: [`state ${state}`],
        proofs: service(
          'records > a record > has exactly its properties in every state, data only when the task has completed, a code only when it has failed',
        ),
      })),
      {
        says: 'Accepted, started, finished, failed, canceled: each has its event and its webhook state',
        proofs: [
          ...service(
            'events > a task that completes > tells it in exactly the fields that are shown, created before started before completed',
            'events > a task that does not complete > tells that it failed, with a sanitized error and without artifacts',
            'events > a task that does not complete > tells that it was canceled, without an error',
          ),
          ...event('the contract of an event > has the state of its type, twice'),
        ],
      },
      {
        says: 'A terminal record stays as it is',
        proofs: [
          ...service('records > a record > that is terminal never moves back'),
          ...agreement(
            'whatever happens to a task, its records and events fit the contract and it never moves back',
          ),
          ...made('a task that has ended > by * stays as it is, whatever comes after'),
        ],
      },
    ],
  },
  {
    heading: 'Endpoints',
    rows: [
      { says: 'Everything is below `/api/v1`', proofs: service('requests > a path > is below /api/v1') },
      {
        says: '`POST generation/{provider}/{model}`: JSON with the model’s fields, answered with a queued record',
        proofs: [
          ...service(
            'submits > * > accepts its minimal and maximal inputs and each field at its limits, and keeps what was sent',
          ),
          ...agreement(
            'whatever is submitted, the answer is an accepted record or an error body with a known code',
          ),
        ],
      },
      {
        says: '`{model}` has one or more segments, and for one model a `:<version_id>`',
        proofs: [
          ...service(
            'requests > a path > of the versioned model ends in :<version_id>, also percent-encoded',
          ),
          ...paths(
            'the path of a model > has one segment for the provider, one or more for the model, and a version after the last one of one model',
            'the path of a model > can be configured with as many segments as the service has, and with a version',
          ),
          ...submitting(
            'a task > of a versioned model needs some version in its path, of the others none',
            'other paths and field names can be given to models, as in the configuration of a worker',
          ),
        ],
      },
      {
        says: '`multipart/form-data` as well as JSON',
        proofs: [
          ...service(
            'requests > a form > of any model means the same as the JSON',
            'requests > a form > may hold files',
          ),
          ...submitting('a form is read as the JSON that it stands for, and its files become URLs'),
        ],
      },
      {
        says: 'Support for an `Idempotency-Key` is unconfirmed: Darkroom sends none, and finds the task of a lost answer otherwise; the emulator ignores it',
        proofs: [
          ...mediaApi('the API client > sends no Idempotency-Key: whether the API knows it is unconfirmed'),
          ...made('an Idempotency-Key changes nothing: each accepted submit is a purchase'),
        ],
      },
      {
        says: '`GET generation/{id}`: 200 and the record',
        proofs: service(
          'records > GET generation/{id} > answers 200 for a task of its workspace, 404 for one that is gone',
        ),
      },
      {
        says: '`GET credits`: 200 and the balance',
        proofs: service('credits > the balance > has whole credits in two pools and an expiry in UTC'),
      },
      {
        says: 'A task may be created from a template',
        proofs: submitting('a template completes the input, and the task says which one it was'),
      },
      {
        says: 'The contract and the service agree about what a model takes',
        proofs: agreement(
          'the contract, the published JSON Schemas and the service agree about every input near a limit',
        ),
      },
      {
        says: 'Whatever is read, the answer fits the contract',
        proofs: agreement(
          'whatever is read, the answer is a record, a balance or an error body with a known code',
        ),
      },
    ],
  },
  {
    heading: 'Authentication',
    rows: [
      {
        says: '`Authorization: Bearer <API_KEY>` everywhere; a missing or invalid key is 401 `UNAUTHORIZED`',
        proofs: service('refusals > authentication > with * is refused with 401 UNAUTHORIZED everywhere'),
      },
      {
        says: 'Revocation is immediate',
        proofs: [
          ...service('refusals > authentication > with a revoked key is refused at once'),
          ...accounts('a key > is shown once, and its revocation takes effect with the next request'),
        ],
      },
      {
        says: 'A key’s value is shown once; it has a name and an optional scope',
        proofs: [
          ...accounts(
            'a key > is shown once, and its revocation takes effect with the next request',
            'a key > does only what its scope covers',
          ),
          ...service(
            'refusals > authentication > with a key of narrower scope is refused with WORKSPACE_FORBIDDEN',
          ),
        ],
      },
      {
        says: 'An authenticated request that fails validation is 422',
        proofs: service(
          'submits > * > refuses each input just outside of a limit with INVALID_INPUT, and says which field',
        ),
      },
      {
        says: 'A workspace that the key may not use is `WORKSPACE_FORBIDDEN`',
        proofs: [
          ...service(
            'refusals > a refused submit costs nothing: > a workspace that the key may not use is WORKSPACE_FORBIDDEN',
          ),
          ...accounts('a key > acts in its own workspace, and in another one only if it may use it'),
        ],
      },
    ],
  },
];
