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
    holds: 'what this package is: its programs, files, needed packages',
    mayImport: [],
  },
  {
    folder: 'src/package/node',
    holds: 'which Node runs the programs',
    mayImport: [],
  },
  {
    folder: 'src/api',
    holds: "the media API's contract: models, records, codes, events; `client/` talks HTTP. No Temporal",
    mayImport: [],
  },
  {
    folder: 'src/policy',
    holds: 'the policy as data, and pure functions on it',
    mayImport: ['src/api'],
  },
  {
    folder: 'src/contract',
    holds: 'all that crosses a boundary: arguments, results, messages, search attributes, ids, limits',
    mayImport: ['src/api', 'src/policy'],
  },
  {
    folder: 'src/pipeline',
    holds: 'pipelines as typed code, for the same JSON document',
    mayImport: CONTRACT,
  },
  {
    folder: 'src/workflows',
    holds: 'deterministic code, a folder a workflow',
    mayImport: ['src/package', ...CONTRACT],
  },
  {
    folder: 'src/workflow',
    holds: 'generations and pipelines as children of other workflows',
    mayImport: [...CONTRACT, 'src/workflows'],
  },
  {
    folder: 'src/outputs',
    holds: 'stores (files, S3), the guarded download, inspection',
    mayImport: [...CONTRACT, 'src/package'],
  },
  {
    folder: 'src/temporal',
    holds: 'Temporal outside of workflows: connection, retries, visibility, histories',
    mayImport: [...CONTRACT, 'src/package'],
  },
  {
    folder: 'src/operations',
    holds: 'health, readiness, metrics',
    mayImport: [],
  },
  {
    folder: 'src/activities',
    holds: 'the activities, in folders by workflow',
    mayImport: [...CONTRACT, 'src/outputs', 'src/temporal', 'src/operations', 'src/webhooks/signature'],
  },
  {
    folder: 'src/webhooks/signature',
    holds: 'who signed a delivery; pure',
    mayImport: [],
  },
  {
    folder: 'src/webhooks/receiver-config',
    holds: "the receiver's settings",
    mayImport: ['src/webhooks/signature'],
  },
  {
    folder: 'src/webhooks',
    holds: 'the receiver: `http/` takes deliveries, `routing/` finds workflows',
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
    holds: 'reads and checks variables and `DARKROOM_CONFIG`',
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
    holds: 'writes `docs/schemas`',
    mayImport: CONTRACT,
  },
  {
    folder: 'src/terminal',
    holds: 'how programs print and end',
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
    holds: 'the command line',
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
    holds: 'the media API on this machine',
    mayImport: ['src/api', 'src/package/node'],
  },
  {
    folder: 'src/local',
    holds: '`npm start` and `npm run dev`',
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
    holds: "Vercel's AI SDK, for services and workflows",
    mayImport: ['src/api', 'src/contract', 'src/client', 'src/workflow'],
  },
  {
    folder: 'src/testing',
    holds: "for a service's own tests",
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
