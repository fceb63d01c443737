import {
  accounts,
  agreement,
  assets,
  balance,
  change,
  guesses,
  made,
  record,
  type Section,
  service,
  submitting,
  testsOf,
} from './row.ts';

const everyState = service(
  'records > a record > has exactly its properties in every state, data only when the task has completed, a code only when it has failed',
);
const anyAnswer = agreement(
  'whatever happens to a task, its records and events fit the contract and it never moves back',
);
const requiredFields = record('the contract of a task record > has every required property and no others');
const usageOf = service(
  'records > a record > has a usage whose total is what both pools gave, and the same from the submit on',
);
const shapes = record(
  'the contract of data > is a URI, an image, video or audio object, or an object of a kind that is not shown',
);
const brokenShapes = record('the contract of data > with a known kind is not taken for an unknown one: *');
const integers = record(
  'the contract of data > has whole numbers from -9007199254740991 to 9007199254740991 for seed, sizes and pixels',
);
const extras = record('the contract of data > keeps additional properties of outputs and assets');

/** The chapter "Resources and their fields". */
export const RESOURCES: readonly Section[] = [
  {
    heading: 'Generation (task record)',
    rows: [
      {
        says: '`id`, a string',
        mutant: change('emulator/src/tasks/task-record.ts', '  return {\n    id: task.id,', '  return {'),
        about: ['record id'],
        proofs: [...requiredFields, ...everyState],
      },
      {
        says: '`status`, one of five states',
        mutant: change(
          'src/api/records/generation-record.ts',
          '  status: z.enum(QUEUE_STATES),\n    data',
          '  status: z.string(),\n    data',
        ),
        about: ['record status'],
        proofs: [
          ...record(
            'the contract of a task record > knows the five states, and data only when the task has completed',
          ),
          ...everyState,
        ],
      },
      {
        says: '`input`: what was sent, with defaults',
        mutant: change(
          'emulator/src/api/normalize-input.ts',
          '{ ...sent, ...completed, ...defaults, ...sent }',
          '{ ...sent }',
        ),
        about: ['record input'],
        proofs: [
          ...service(
            'submits > * > accepts its minimal and maximal inputs and each field at its limits, and keeps what was sent',
          ),
          ...submitting('a task > keeps every field that was sent and gets the defaults beside them'),
        ],
      },
      {
        says: '`data`: object or URI; null until completed, and if failed',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          "if (task.status !== 'COMPLETED' || model === undefined)",
          'if (model === undefined)',
        ),
        about: ['record data'],
        proofs: [
          ...record(
            'the contract of a task record > knows the five states, and data only when the task has completed',
          ),
          ...everyState,
          ...shapes,
        ],
      },
      {
        says: '`usage`, an object',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          '    usage: task.usage,\n    ...(task',
          '    ...(task',
        ),
        about: ['record usage'],
        proofs: [...requiredFields, ...usageOf],
      },
      {
        says: '`code` and `message`, if failed',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          "task.status === 'FAILED' ?",
          "task.status === 'CANCELED' ?",
        ),
        about: ['record code', 'record message'],
        proofs: [
          ...record(
            'the contract of a task record > has a code and a message when the task has failed',
            'the contract of a task record > may have a code and a message in any other state, where nothing hangs on them',
          ),
          ...service('records > a failed task > of the image family can carry *, with a message and no data'),
        ],
      },
      {
        says: 'No other properties',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          '    data: outputData(task, service),',
          '    data: outputData(task, service), owner: null,',
        ),
        proofs: [...requiredFields, ...everyState, ...anyAnswer],
      },
      {
        says: 'A submit answers without `data`, with status `IN_QUEUE`',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          'usage: task.usage };',
          'usage: task.usage, data: {} };',
        ),
        proofs: [
          ...record('the contract of a task record > has no data in the answer to a submit, which is queued'),
          ...agreement(
            'whatever is submitted, the answer is an accepted record or an error body with a known code',
          ),
        ],
      },
      {
        says: 'Records of any shape are read, and no paid result is lost',
        mutant: change(
          'src/api/records/generation-record.ts',
          '  data: z.unknown().optional(),',
          '  data: dataSchema.optional(),',
        ),
        proofs: record(
          'the reader of records > keeps data of any shape and unknown properties untouched',
          'the reader of records > only insists on id and status, and never throws',
          'the reader of records > takes any answer with an id for an accepted submit, without data and whatever else it lacks',
        ),
      },
    ],
  },
  {
    heading: 'Usage',
    rows: [
      {
        says: '`total`, `subscription`, `permanent`: numbers; the total is the sum',
        mutant: change(
          'emulator/src/accounts/credits.ts',
          'total: credits, subscription, permanent }',
          'total: credits + 1, subscription, permanent }',
        ),
        about: ['usage total', 'usage subscription', 'usage permanent'],
        proofs: [...requiredFields, ...usageOf],
      },
      {
        says: 'The subscription pays first (assumed)',
        mutant: change(
          'emulator/src/accounts/credits.ts',
          "first === 'subscription' ?",
          "first !== 'subscription' ?",
        ),
        proofs: [
          ...service(
            'credits > the balance > goes down by what a submit says it charged, the subscription first',
          ),
          ...accounts(
            'credits > are taken from the subscription first, then from the permanent pool, and every charge is in the ledger',
          ),
          ...guesses('the guess firstPool can be another in EMULATOR_CONFIG, and that shows'),
        ],
      },
    ],
  },
  {
    heading: 'Output payload (`data`)',
    rows: [
      {
        says: 'A bare URI string',
        mutant: change(
          'src/api/records/output-assets.ts',
          "typeof value === 'string' ? { url: value } : value",
          'value',
        ),
        proofs: [
          ...shapes,
          ...service('records > a record > may have a bare URI as its data'),
          ...assets('the files of data > are found in a bare URI'),
        ],
      },
      {
        says: 'Video object: `type` is `video`, `videos` has at least one item',
        mutant: change(
          'src/api/records/generation-record.ts',
          'z.array(videoAssetSchema).min(1)',
          'z.array(videoAssetSchema)',
        ),
        about: ['video type', 'video videos'],
        proofs: [...brokenShapes, ...service('submits > video-* > completes with an output of its kind')],
      },
      {
        says: '`n` of a video object: 1..4',
        mutant: change(
          'src/api/records/generation-record.ts',
          'n: outputCount.optional()',
          'n: wholeNumber.optional()',
        ),
        about: ['video n'],
        proofs: brokenShapes,
      },
      {
        says: '`seed`: a safe integer',
        mutant: change(
          'src/api/records/generation-record.ts',
          'seed: wholeNumber.optional()',
          'seed: z.number().optional()',
        ),
        about: ['video seed'],
        proofs: integers,
      },
      {
        says: '`actual_prompt`, a string; `video`, the primary asset',
        mutant: change('emulator/src/tasks/task-record.ts', 'video: assets[0] };', 'video: assets.at(-1) };'),
        about: ['video actual_prompt', 'video video'],
        proofs: [
          ...record('the contract of data > has in a video’s * *'),
          ...made(
            'the output of a task > of a video names its kind, its count and prompt, and the first of its assets as the primary one',
          ),
        ],
      },
      {
        says: 'Video asset: `url` (required), `file_name`, `content_type`, `duration`',
        mutant: change(
          'src/api/records/generation-record.ts',
          'videoAssetSchema = z.looseObject({\n  url: z.url(),',
          'videoAssetSchema = z.looseObject({\n  url: z.url().optional(),',
        ),
        about: ['asset url', 'asset file_name', 'asset content_type', 'asset duration'],
        proofs: [
          ...record('the contract of data > has in a video asset’s * what is shown'),
          ...made(
            'the output of a task > of a video names its kind, its count and prompt, and the first of its assets as the primary one',
          ),
          ...assets(
            'the files of data > have what is known of them, and null for what is missing or malformed',
          ),
        ],
      },
      {
        says: '`file_size`, `width`, `height`: safe integers, or null',
        mutant: change(
          'src/api/records/generation-record.ts',
          'const wholeNumber = z.int();',
          'const wholeNumber = z.number();',
        ),
        about: ['asset file_size', 'asset width', 'asset height'],
        proofs: [...integers, ...shapes],
      },
      {
        says: 'Further properties are kept',
        mutant: change(
          'src/api/records/generation-record.ts',
          'videoAssetSchema = z.looseObject({',
          'videoAssetSchema = z.object({',
        ),
        proofs: extras,
      },
      {
        says: 'Image object: `type` is `image`, `n`, `actual_prompt`, `images`, `image`',
        mutant: change(
          'emulator/src/tasks/task-record.ts',
          'return { ...shared, images, image: images[0] };',
          'return { ...shared, images };',
        ),
        about: ['image type', 'image n', 'image actual_prompt', 'image images', 'image image'],
        proofs: [
          ...shapes,
          ...brokenShapes,
          ...record(
            'the contract of data > has in an image’s actual_prompt a text, and in its image an asset',
          ),
          ...made(
            'the output of a task > of an image names its kind, its count and prompt, and the first of its assets as the primary one',
          ),
          ...service('submits > image-* > completes with an output of its kind'),
        ],
      },
      {
        says: 'Audio object: assumed like video',
        mutant: change(
          'src/api/records/generation-record.ts',
          "type: z.literal('audio')",
          "type: z.literal('sound')",
        ),
        proofs: [...shapes, ...service('submits > speech-* > completes with an output of its kind')],
      },
      {
        says: 'Unknown objects: files are found where possible',
        mutant: change('src/api/records/output-assets.ts', '  }\n  return asset(data);', '  }\n  return [];'),
        proofs: assets(
          'the files of data > are found in an unknown object with a URL',
          'the files of data > are looked for in anything without a crash, and without changing it',
        ),
      },
    ],
  },
  {
    heading: 'Credits balance',
    rows: [
      {
        says: '`permanent`, `subscription`, `available`: safe integers',
        mutant: change('src/api/records/credits.ts', 'permanent: z.int()', 'permanent: z.number()'),
        about: ['credits permanent', 'credits subscription', 'credits available'],
        proofs: [
          ...balance(
            'the contract of the balance > has * as a whole number from -9007199254740991 to 9007199254740991',
          ),
          ...service('credits > the balance > has whole credits in two pools and an expiry in UTC'),
        ],
      },
      {
        says: '`subscription_expires_at`: ISO 8601 in UTC, ending in Z',
        mutant: change('src/api/records/credits.ts', 'z.iso.datetime(),', 'z.string(),'),
        about: ['credits subscription_expires_at'],
        proofs: [
          ...balance(
            'the contract of the balance > takes * for the expiry',
            'the contract of the balance > refuses *: not in the calendar, not in UTC or not ending in Z',
          ),
          ...service('credits > the balance > has no subscription credits any more once they have expired'),
        ],
      },
      {
        says: 'A partly malformed balance is read',
        mutant: change(
          'src/api/records/credits.ts',
          'permanent: z.number().catch(0)',
          'permanent: z.number()',
        ),
        proofs: [
          ...balance(
            'the reader of balances > keeps further properties, and reads a balance whose other parts are missing or malformed',
          ),
        ],
      },
      {
        says: 'Developers see their usage and credits',
        mutant: change(
          'emulator/src/api/purchase.ts',
          '      inputHash: hash,\n      workflow,',
          '      inputHash: hash,\n      workflow: null,',
        ),
        proofs: testsOf('test/emulator/accounts/accounts.test.ts')(
          'credits > can be traced to workflows, and tasks that nobody owns stand apart',
        ),
      },
    ],
  },
];
