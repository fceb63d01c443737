import {
  CREDITS_CODES,
  GENERATION_CODES,
  GET_CODES,
  type GenerationCode,
  PREFIXED_CODES,
} from '../../../src/api/codes.ts';
import { ERROR_PREFIX, FAMILIES } from '../../../src/api/family.ts';
import { accounts, agreement, change, errorBody, faults, type Row, type Section, service } from './row.ts';

const MEANING: Readonly<Record<GenerationCode, string>> = {
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

const SUBMIT_CODES: Row[] = GENERATION_CODES.map((code) => ({
  says: `\`${PREFIXED_CODES.some((prefixed) => prefixed === code) ? 'P_' : ''}${code}\`: ${MEANING[code]}`,
  about: [`submit code ${code}`],
  mutant: change(
    'emulator/src/api/refusals.ts',
    '      code: withPrefix(code, family),',
    `      code: code === '${code}' ? 'UNKNOWN' : withPrefix(code, family),`,
  ),
  proofs: service(
    `refusals > a submit > to the * family can be refused with ${code}`,
    `records > a failed task > of the * family can carry ${code}, with a message and no data`,
    ...(NATURAL[code] ?? []),
  ),
}));

const GET_ROWS: Row[] = ([400, 401, 403, 404, 422] as const).map((status) => ({
  says: `${status} \`${GET_CODES[status]}\``,
  about: [`get code ${status} ${GET_CODES[status]}`],
  mutant:
    status === 401
      ? change('emulator/src/api/answer-api.ts', "code: 'UNAUTHORIZED'", "code: 'UNKNOWN'")
      : change(
          'emulator/src/api/refusals.ts',
          'code: GET_CODES[status],',
          `code: status === ${status} ? 'UNKNOWN' : GET_CODES[status],`,
        ),
  proofs: service(`records > GET generation/{id} > answers ${status} with ${GET_CODES[status]}`),
}));

/** The chapter "Errors". */
export const ERRORS: readonly Section[] = [
  {
    heading: 'Error body',
    rows: [
      {
        says: '`code` and `message` are required strings',
        mutant: change(
          'src/api/error-body.ts',
          '  message: z.string(),\n  error',
          '  message: z.string().optional(),\n  error',
        ),
        about: ['error code', 'error message'],
        proofs: errorBody(
          'the contract of an error body > has a code and a message, may have the others, and has no further properties',
        ),
      },
      {
        says: '`error`: legacy, may hold an unprefixed code',
        mutant: change(
          'emulator/src/api/refusals.ts',
          "...(code === 'INSUFFICIENT_CREDITS' ? { error: code } : {}),",
          '',
        ),
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
        mutant: change(
          'src/api/error-body.ts',
          'message: z.string(), code: z.string() }',
          'message: z.string(), code: z.unknown() }',
        ),
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
        mutant: change(
          'src/api/error-body.ts',
          'catch(undefined),\n  details: z.unknown()',
          'catch(undefined),\n  details: z.string()',
        ),
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
        mutant: change(
          'src/api/error-body.ts',
          'errorBodySchema = z.strictObject({',
          'errorBodySchema = z.looseObject({',
        ),
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
        says: 'Darkroom branches on `code`; it reads what it can of the rest',
        mutant: change('src/api/error-body.ts', "readMessageSchema.catch('')", 'readMessageSchema'),
        proofs: errorBody(
          'the reader of error bodies > needs a code alone, and takes what it can read of the rest',
        ),
      },
    ],
  },
  {
    heading: 'Codes of POST generation',
    intro: `\`P\` is the prefix of the model's family (${families}). Each also as a task's failure.`,
    rows: SUBMIT_CODES,
  },
  {
    heading: 'Codes of GET generation/{id}',
    rows: [
      ...GET_ROWS,
      {
        says: 'Each is given by its request',
        mutant: change('emulator/src/api/get-generation.ts', 'refuseGet(403,', 'refuseGet(404,'),
        proofs: accounts('a GET answers exactly the statuses and codes of the specification'),
      },
    ],
  },
  {
    heading: 'Codes of GET credits',
    rows: CREDITS_CODES.map((code) => ({
      says: `\`${code}\``,
      about: [`credits code ${code}`],
      mutant: change(
        'emulator/src/api/get-credits.ts',
        'errorAnswer(status ?? usual, { code, message })',
        `errorAnswer(status ?? usual, { code: code === '${code}' ? 'UNKNOWN' : code, message })`,
      ),
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
        says: 'Have `FAILED`, `code`, `message` in the record, `prediction.error` in `task.failed`',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          "code: task.code ?? ''",
          "code: 'VIDEO_GENERATION_FAILED'",
        ),
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
