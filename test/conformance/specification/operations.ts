import { CREDITS_CODES, GET_CODES, PLAIN_SUBMIT_CODES, PREFIXED_CODES } from '../../../src/api/codes.ts';
import { ERROR_PREFIX, FAMILIES } from '../../../src/api/family.ts';
import {
  accounts,
  agreement,
  control,
  errorBody,
  event,
  faults,
  type Row,
  type Section,
  service,
  submitting,
} from './row.ts';

const MEANING: Readonly<
  Record<(typeof PREFIXED_CODES)[number] | (typeof PLAIN_SUBMIT_CODES)[number], string>
> = {
  INVALID_INPUT: 'invalid request input',
  INSUFFICIENT_CREDITS: 'not enough credits; `error` is the unprefixed code',
  CONTENT_REJECTED: 'rejected by the moderation policy',
  RATE_LIMITED: 'rate limit exceeded',
  FAILED: 'generation failed; two distinct responses',
  PROVIDER_UNAVAILABLE: 'upstream provider unavailable',
  TIMEOUT: 'generation timed out',
  UNAUTHORIZED: 'authentication failed',
  WORKSPACE_FORBIDDEN: 'no access to the workspace',
  TEMPLATE_NOT_FOUND: 'the template does not exist',
};

/** How else a code comes about than by a fault. */
const NATURAL: Partial<Record<keyof typeof MEANING, string[]>> = {
  INVALID_INPUT: [
    'refusals > a refused submit costs nothing: > a body that is no JSON is INVALID_INPUT',
    'refusals > the errors of a refused submit > name every mistake, also a broken rule beside a wrong field',
  ],
  INSUFFICIENT_CREDITS: [
    'refusals > a limit > of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error',
  ],
  CONTENT_REJECTED: [
    'refusals > a refused submit costs nothing: > content that the moderation rejects is CONTENT_REJECTED',
  ],
  RATE_LIMITED: ['refusals > a limit > of the rate refuses with RATE_LIMITED until it is over'],
  FAILED: ['refusals > a submit > has two responses with FAILED, of different statuses'],
  UNAUTHORIZED: ['refusals > authentication > with * is refused with 401 UNAUTHORIZED everywhere'],
  WORKSPACE_FORBIDDEN: [
    'refusals > a refused submit costs nothing: > a workspace that the key may not use is WORKSPACE_FORBIDDEN',
  ],
  TEMPLATE_NOT_FOUND: [
    'refusals > a refused submit costs nothing: > a template that does not exist is TEMPLATE_NOT_FOUND',
  ],
};

const families = FAMILIES.map((family) => `${family}: \`${ERROR_PREFIX[family]}\``).join(', ');

const SUBMIT_CODES: Row[] = [...PREFIXED_CODES, ...PLAIN_SUBMIT_CODES].map((code) => ({
  says: `\`${PREFIXED_CODES.some((prefixed) => prefixed === code) ? 'P_' : ''}${code}\`: ${MEANING[code]}; as an answer and as a task's failure`,
  about: [`submit code ${code}`],
  proofs: service(
    `refusals > a submit > to the * family can be refused with ${code}`,
    `records > a failed task > of the * family can carry ${code}, with a message and no data`,
    ...(NATURAL[code] ?? []),
  ),
}));

const GET_ROWS: Row[] = ([400, 401, 403, 404, 422] as const).map((status) => ({
  says: `${status} \`${GET_CODES[status]}\``,
  about: [`get code ${status} ${GET_CODES[status]}`],
  proofs: service(`records > GET generation/{id} > answers ${status} with ${GET_CODES[status]}`),
}));

/** The chapters about states, endpoints, authentication and errors. */
export const OPERATIONS: readonly Section[] = [
  {
    heading: 'States and transitions',
    rows: [
      ...(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED'] as const).map((state) => ({
        says: `Task state \`${state}\``,
        about: [`state ${state}`],
        proofs: service(
          'records > a record > has exactly its properties in every state, and data only when the task has completed',
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
          ...control(
            'a task can be forced > to start, to finish, to fail and to be canceled, and a terminal one stays as it is',
          ),
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
            'requests > a path > that names no model is refused',
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
  {
    heading: 'Error body',
    rows: [
      {
        says: '`code` and `message` are required strings',
        about: ['error code', 'error message'],
        proofs: errorBody(
          'the contract of an error body > has a code and a message, may have the others, and has no further properties',
        ),
      },
      {
        says: '`error`: legacy, may hold an unprefixed code',
        about: ['error error'],
        proofs: [
          ...errorBody(
            'the contract of an error body > has a code and a message, may have the others, and has no further properties',
          ),
          ...service(
            'refusals > a limit > of credits refuses with INSUFFICIENT_CREDITS and its unprefixed legacy error',
          ),
        ],
      },
      {
        says: '`errors`: entries with `path`, `message`, `code`',
        about: ['error errors'],
        proofs: [
          ...errorBody('the contract of an error body > has * as a string in each entry of errors'),
          ...service(
            'refusals > the errors of a refused submit > name every mistake, also a broken rule beside a wrong field',
          ),
        ],
      },
      {
        says: '`details`: anything',
        about: ['error details'],
        proofs: [
          ...errorBody('the reader of error bodies > never throws, and keeps details of any shape'),
          ...accounts(
            'credits > are taken from the subscription first, then from the permanent pool, and every charge is in the ledger',
          ),
        ],
      },
      {
        says: 'No further properties',
        proofs: [
          ...errorBody(
            'the contract of an error body > has a code and a message, may have the others, and has no further properties',
          ),
          ...agreement(
            'whatever is submitted, the answer is an accepted record or an error body with a known code',
          ),
        ],
      },
      {
        says: 'Darkroom branches on `code`, and reads what it can of the rest',
        proofs: errorBody(
          'the reader of error bodies > needs a code alone, and takes what it can read of the rest',
        ),
      },
    ],
  },
  {
    heading: 'Codes of POST generation',
    intro: `\`P\` is the prefix of the model's family (${families}).`,
    rows: SUBMIT_CODES,
  },
  {
    heading: 'Codes of GET generation/{id}',
    rows: [
      ...GET_ROWS,
      {
        says: 'The table, with the requests that give each row',
        proofs: accounts('a GET answers exactly the statuses and codes of the specification'),
      },
    ],
  },
  {
    heading: 'Codes of GET credits',
    rows: CREDITS_CODES.map((code) => ({
      says: `\`${code}\``,
      about: [`credits code ${code}`],
      proofs: [
        ...service(`credits > the balance > can be refused with ${code}`),
        ...faults('reading a record and the balance can fail in the same ways'),
      ],
    })),
  },
  {
    heading: 'Failed tasks',
    rows: [
      {
        says: 'Carry `FAILED`, `code`, `message` in the record, and `prediction.error` in `task.failed`',
        proofs: [
          ...service(
            'records > a failed task > of the video family can carry TIMEOUT, with a message and no data',
            'events > a task that does not complete > tells that it failed, with a sanitized error and without artifacts',
          ),
        ],
      },
    ],
  },
];
