import {
  accounts,
  agreement,
  change,
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
        says: `\`${state}\``,
        about: [`state ${state}`],
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          '    status: task.status,\n',
          `    status: task.status === '${state}' ? 'UNKNOWN' : task.status,\n`,
        ),
        proofs: service(
          'records > a record > has exactly its properties in every state, data only when the task has completed, a code only when it has failed',
        ),
      })),
      {
        says: 'Each state has its event and webhook state',
        mutant: change(
          'emulator/src/tasks/lifecycle.ts',
          "'CANCELED', 'task.canceled',",
          "'CANCELED', 'task.failed',",
        ),
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
        says: 'A terminal record does not change',
        mutant: change(
          'emulator/src/tasks/tasks.ts',
          'return TERMINAL_STATES.has(task.status);',
          "return task.status === 'COMPLETED';",
        ),
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
      {
        says: 'Everything is below `/api/v1`',
        mutant: change('emulator/src/api/answer-api.ts', "'/api/v1'", "'/api/v2'"),
        proofs: service('requests > a path > is below /api/v1'),
      },
      {
        says: '`POST generation/{provider}/{model}`: JSON; answers a queued record',
        mutant: change('emulator/src/api/purchase.ts', "status: 'IN_QUEUE'", "status: 'IN_PROGRESS'"),
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
        says: '`{model}` has segments, and for one model a `:<version_id>`',
        mutant: change(
          'emulator/src/api/model-routes.ts',
          'version !== undefined && VERSION.test(version) : version === undefined',
          'true : version === undefined',
        ),
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
        mutant: change('emulator/src/api/form-input.ts', 'fieldValue(schema, texts)]', 'texts[0]]'),
        proofs: [
          ...service(
            'requests > a form > of any model means the same as the JSON',
            'requests > a form > may hold files',
          ),
          ...submitting('a form is read as the JSON that it stands for, and its files become URLs'),
        ],
      },
      {
        says: '`Idempotency-Key` is unconfirmed: Darkroom sends none, the emulator ignores it',
        mutant: change(
          'src/api/client/media-api.ts',
          "    accept: 'application/json',\n",
          "    accept: 'application/json', 'idempotency-key': 'one',\n",
        ),
        proofs: [
          ...mediaApi('the API client > sends no Idempotency-Key: whether the API knows it is unconfirmed'),
          ...made('an Idempotency-Key changes nothing: each accepted submit is a purchase'),
        ],
      },
      {
        says: '`GET generation/{id}`: 200 and the record',
        mutant: change('emulator/src/api/get-generation.ts', 'json(200,', 'json(202,'),
        proofs: service(
          'records > GET generation/{id} > answers 200 for a task of its workspace, 404 for one that is gone',
        ),
      },
      {
        says: '`GET credits`: 200 and the balance',
        mutant: change(
          'emulator/src/accounts/credits.ts',
          '    permanent: pools.permanent,\n    subscription,',
          '    subscription,',
        ),
        proofs: service('credits > the balance > has whole credits in two pools and an expiry in UTC'),
      },
      {
        says: 'Templates',
        mutant: change('emulator/src/api/checks.ts', '{ ...template?.input, ...own }', 'own'),
        proofs: submitting('a template completes the input, and the task says which one it was'),
      },
      {
        says: 'Contract and service agree about inputs',
        mutant: change(
          'emulator/src/api/checks.ts',
          "if (normalized.kind === 'invalid') {",
          "if (normalized.kind === 'invalid' && 'n' in input) {",
        ),
        proofs: agreement(
          'the contract, the published JSON Schemas and the service agree about every input near a limit',
        ),
      },
      {
        says: 'All answers fit the contract',
        mutant: change(
          'emulator/src/accounts/credits.ts',
          '    available: pools.permanent + subscription,\n',
          '',
        ),
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
        says: '`Authorization: Bearer <API_KEY>`; a missing or invalid key is 401 `UNAUTHORIZED`',
        mutant: change(
          'emulator/src/accounts/accounts.ts',
          "hashOf(authorization.slice('bearer '.length).trim()))",
          "hashOf(authorization.slice('bearer '.length).trim())) ?? this.keys()[0]",
        ),
        proofs: service('refusals > authentication > with * is refused with 401 UNAUTHORIZED everywhere'),
      },
      {
        says: 'Revocation is immediate',
        mutant: change(
          'emulator/src/accounts/accounts.ts',
          'key?.revokedAt === null ? key : undefined',
          'key',
        ),
        proofs: [
          ...service('refusals > authentication > with a revoked key is refused at once'),
          ...accounts('a key > is shown once, and its revocation takes effect with the next request'),
        ],
      },
      {
        says: 'A key is shown once, has a name and an optional scope',
        mutant: change(
          'emulator/src/accounts/accounts.ts',
          'if (key.scope.length > 0 && !key.scope.includes(scope)) return undefined;',
          '',
        ),
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
        says: 'Failed validation is 422',
        mutant: change('emulator/src/assumptions.ts', 'INVALID_INPUT: 422', 'INVALID_INPUT: 400'),
        proofs: service(
          'submits > * > refuses each input just outside of a limit with INVALID_INPUT, and says which field',
        ),
      },
      {
        says: 'A workspace that the key may not use: `WORKSPACE_FORBIDDEN`',
        mutant: change(
          'emulator/src/accounts/accounts.ts',
          'this.mayUse(key, id) ? this.#workspaces.get(id) : undefined',
          'this.#workspaces.get(id)',
        ),
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
