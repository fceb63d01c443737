/** A part of the code that carries the contract, and the quick tests that have to notice when it changes. */
export interface Folder {
  readonly name: string;
  readonly what: string;
  /** Globs of the files that are changed. */
  readonly mutate: readonly string[];
  /** Globs of the test files that run against each change: few, quick, without a Temporal server. */
  readonly tests: readonly string[];
}

/** Every folder that `npm run mutants` knows, the quickest first. */
export const FOLDERS: readonly Folder[] = [
  {
    name: 'signature',
    what: 'who signed a delivery',
    mutate: ['src/webhooks/signature/**/*.ts'],
    tests: ['test/webhooks/signature/{secret-ids,sign,signature}.test.ts'],
  },
  {
    name: 'policy',
    what: 'what follows an error, when and at which pace',
    mutate: ['src/policy/**/*.ts'],
    tests: ['test/policy/**/*.test.ts', 'test/schemas/request-schemas.test.ts'],
  },
  {
    name: 'api',
    what: "the API's models, records, codes and events, and its client",
    mutate: ['src/api/**/*.ts'],
    // The models are data, told apart as soon as they are loaded, and their schemas are made once: what asks all of
    // them comes first.
    tests: [
      'test/conformance/registry.test.ts',
      'test/conformance/model-rules.test.ts',
      'test/api/**/*.test.ts',
    ],
  },
  {
    name: 'config',
    what: 'the configuration',
    mutate: ['src/config/**/*.ts'],
    tests: ['test/config/*.test.ts'],
  },
  {
    name: 'contract',
    what: 'what crosses a boundary: results, messages, failures, ids',
    mutate: [
      'src/contract/**/*.ts',
      '!src/contract/{checks,steps}/**',
      '!src/contract/purchases/same-purchase.ts',
    ],
    // Much of it is read by one room alone: by that room's tests of its state and its words.
    tests: [
      'test/contract/{*,purchases/*}.test.ts',
      'test/schemas/request-schemas.test.ts',
      'test/workflows/generation/{projections,transitions,store-or-end}.test.ts',
      'test/workflows/pipeline/projections.test.ts',
      'test/workflows/unclaimed-tasks/{read-messages,describe,matching}.test.ts',
      'test/activities/{account/reservation,generation/purchases}.test.ts',
      'test/client/{failures,workflow-id}.test.ts',
      'test/temporal/reuse/same-step.test.ts',
      'test/starter/describe/describe-next.test.ts',
    ],
  },
  {
    name: 'claims',
    what: 'whose a task is that nobody is known to hold',
    mutate: [
      'src/contract/purchases/same-purchase.ts',
      'src/workflows/unclaimed-tasks/*.ts',
      '!src/workflows/unclaimed-tasks/unclaimed-tasks.ts',
    ],
    tests: [
      'test/contract/same-purchase.test.ts',
      'test/workflows/unclaimed-tasks/{alarms,pages-of,field-index,former-claims,giving-up,grants}.test.ts',
      'test/workflows/unclaimed-tasks/{kept-tasks,known-models,looks,matching,open-claims,seekers}.test.ts',
      'test/workflows/unclaimed-tasks/{read-messages,describe}.test.ts',
      'test/workflows/unclaimed-tasks/claim-book*.test.ts',
    ],
  },
  {
    name: 'emulator',
    what: 'what the emulated API accepts, charges, records and tells',
    mutate: ['emulator/src/{api,tasks,accounts,webhooks}/**/*.ts'],
    tests: [
      'test/emulator/{accounts,api,tasks,webhooks}/**/*.test.ts',
      'test/conformance/service.test.ts',
      // What is kept over a restart, what can be asked from outside, and each guess that can be overridden.
      'test/emulator/{storage,control}/**/*.test.ts',
      'test/emulator/config/assumptions.test.ts',
    ],
  },
  {
    name: 'files',
    what: 'what stored files are called, where they are, and what is told of a store that fails',
    mutate: [
      'src/outputs/{file-type,output-key,output-location,public-outputs,stored-at,unsigned-url}.ts',
      'src/outputs/download/{data-uri,download-target,ends-whole,peek}.ts',
      'src/outputs/inspection/{expect-media,text-kind}.ts',
      'src/outputs/stores/{folder-failure,output-store,s3-failure}.ts',
    ],
    tests: [
      'test/outputs/{file-type,key-of,output-key,output-location,public-outputs,stored-at,unsigned-url}.test.ts',
      'test/outputs/download/{data-uri,download-target,ends-whole,peek}.test.ts',
      'test/outputs/inspection/formats.test.ts',
      'test/outputs/stores/failures.test.ts',
    ],
  },
];
