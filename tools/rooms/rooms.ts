/** A folder of the house: what it holds, and which others its files may import. */
export interface Room {
  /** Below the project's folder; a room inside another one is a room of its own. */
  folder: string;
  holds: string;
  mayImport: readonly string[];
}

const CONTRACT = ['src/api', 'src/policy', 'src/contract'] as const;

/**
 * The rooms from the ground up: each may import what stands before it in its own list, and nothing else of ours.
 * `npm run rooms` holds the imports to it, and makes the table in docs/ARCHITECTURE.md of it.
 */
export const ROOMS: readonly Room[] = [
  {
    folder: 'src/package',
    holds: 'what this package is: how its programs are called, where its files are, which packages it needs',
    mayImport: [],
  },
  {
    folder: 'src/package/node',
    holds: 'which Node runs the programs; read by any',
    mayImport: [],
  },
  {
    folder: 'src/api',
    holds: "the media API's contract: models, records, codes, events; `client/` talks HTTP. No Temporal",
    mayImport: [],
  },
  {
    folder: 'src/policy',
    holds: 'the policy as data, and pure functions on it: what happens next, when, how fast, at which price',
    mayImport: ['src/api'],
  },
  {
    folder: 'src/contract',
    holds:
      'all that crosses a boundary: arguments, results, messages, activities, search attributes, ids and queues, limits',
    mayImport: ['src/api', 'src/policy'],
  },
  {
    folder: 'src/pipeline',
    holds: 'pipelines as typed code, for the same JSON document',
    mayImport: CONTRACT,
  },
  {
    folder: 'src/workflows',
    holds:
      'deterministic code, a folder a workflow: `generation`, `pipeline`, `batch`, `unclaimed-tasks`, `credit-gate`, `submit-pace`, `account`, `darkroom-check`',
    mayImport: ['src/package', ...CONTRACT],
  },
  {
    folder: 'src/workflow',
    holds: "what other people's workflows call: a generation or a pipeline as their child",
    mayImport: [...CONTRACT, 'src/workflows'],
  },
  {
    folder: 'src/outputs',
    holds: 'stores (files, S3), the guarded download, inspection',
    mayImport: [...CONTRACT, 'src/package'],
  },
  {
    folder: 'src/temporal',
    holds: 'how to talk to Temporal outside of workflows: connection, retries, visibility, histories',
    mayImport: [...CONTRACT, 'src/package'],
  },
  {
    folder: 'src/operations',
    holds: 'health, readiness and metrics over HTTP, and the table of all metrics',
    mayImport: [],
  },
  {
    folder: 'src/activities',
    holds: 'the activities, in the folders of the workflows that they serve',
    mayImport: [...CONTRACT, 'src/outputs', 'src/temporal', 'src/operations', 'src/webhooks/signature'],
  },
  {
    folder: 'src/webhooks/signature',
    holds: 'who signed a delivery; pure',
    mayImport: [],
  },
  {
    folder: 'src/webhooks/receiver-config',
    holds: "the receiver's settings and their defaults",
    mayImport: ['src/webhooks/signature'],
  },
  {
    folder: 'src/webhooks',
    holds: 'the receiver: `http/` takes deliveries, `routing/` finds their workflows',
    mayImport: [
      ...CONTRACT,
      'src/temporal',
      'src/operations',
      'src/webhooks/signature',
      'src/webhooks/receiver-config',
    ],
  },
  {
    folder: 'src/config',
    holds: 'reads and checks the variables and the file `DARKROOM_CONFIG`',
    mayImport: [
      ...CONTRACT,
      'src/package',
      'src/outputs',
      'src/temporal',
      'src/webhooks/signature',
      'src/webhooks/receiver-config',
    ],
  },
  {
    folder: 'src/client',
    holds: 'the typed client for backend services',
    mayImport: [
      ...CONTRACT,
      'src/package',
      'src/outputs',
      'src/temporal',
      'src/webhooks/signature',
      'src/config',
    ],
  },
  {
    folder: 'src/schemas',
    holds: "writes `docs/schemas`: the models' inputs, the workflows' arguments",
    mayImport: CONTRACT,
  },
  {
    folder: 'src/terminal',
    holds: 'how programs print and end: tables, progress, exit codes',
    mayImport: [],
  },
  {
    folder: 'src/worker',
    holds: 'puts a worker and a receiver together',
    mayImport: [
      'src/package',
      ...CONTRACT,
      'src/workflows',
      'src/outputs',
      'src/temporal',
      'src/activities',
      'src/operations',
      'src/webhooks/signature',
      'src/webhooks/receiver-config',
      'src/webhooks',
      'src/config',
      'src/terminal',
    ],
  },
  {
    folder: 'src/starter',
    holds: 'the command line: what asks, starts and follows',
    mayImport: [
      ...CONTRACT,
      'src/package',
      'src/temporal',
      'src/webhooks/signature',
      'src/config',
      'src/client',
      'src/terminal',
    ],
  },
  {
    folder: 'emulator',
    holds: 'the media API on this machine, a package of its own',
    mayImport: ['src/api', 'src/package/node'],
  },
  {
    folder: 'src/local',
    holds: '`npm start` and `npm run dev`: an embedded Temporal, the emulator, worker and receiver',
    mayImport: [
      'src/package',
      ...CONTRACT,
      'src/temporal',
      'src/webhooks/receiver-config',
      'src/config',
      'src/client',
      'src/terminal',
      'src/worker',
      'src/starter',
      'emulator',
    ],
  },
  {
    folder: 'src/ai-sdk',
    holds: "the models for Vercel's AI SDK, for services and for workflows",
    mayImport: ['src/api', 'src/contract', 'src/client', 'src/workflow'],
  },
  {
    folder: 'src/testing',
    holds: "the emulator, a Temporal server and a worker for a service's own tests",
    mayImport: [
      'src/package',
      ...CONTRACT,
      'src/temporal',
      'src/webhooks/receiver-config',
      'src/config',
      'src/client',
      'src/worker',
      'src/local',
    ],
  },
];

/** Folders in which no import leads back to its own file, types included: each file can be read without those that use it. */
export const WITHOUT_CYCLES: readonly string[] = ['src/workflows/generation'];
