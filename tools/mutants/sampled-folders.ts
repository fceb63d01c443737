import type { Folder } from './folders.ts';

/** Every folder of `npm run mutants -- --sample <n>`, the quickest first: each mutant takes a run of Vitest. */
export const SAMPLED_FOLDERS: readonly Folder[] = [
  {
    name: 'requests',
    what: 'which requests are refused, and what the references in them stand for',
    mutate: ['src/contract/{checks,steps}/**/*.ts'],
    tests: ['test/{contract,schemas,pipeline}/**/*.test.ts'],
  },
  {
    name: 'outputs',
    what: 'stores, downloads and inspection',
    mutate: ['src/outputs/**/*.ts'],
    tests: ['test/outputs/**/*.test.ts'],
  },
  {
    name: 'webhooks',
    what: 'the receiver: HTTP and routing',
    mutate: ['src/webhooks/{http,routing}/**/*.ts', 'src/webhooks/*.ts'],
    tests: ['test/webhooks/**/*.test.ts'],
  },
  {
    name: 'entities',
    what: 'account, credit gate, submit pace and the messages of unclaimed tasks',
    mutate: ['src/workflows/{account,credit-gate,submit-pace,callback}/**/*.ts'],
    tests: ['test/workflows/{account,credit-gate,submit-pace,callback}/**/*.test.ts'],
  },
  {
    name: 'batch',
    what: 'the workflow batch',
    mutate: ['src/workflows/batch/**/*.ts'],
    tests: [
      'test/workflows/batch/*.test.ts',
      'test/client/batches.test.ts',
      'test/starter/commands/batch.test.ts',
    ],
  },
  {
    name: 'activities',
    what: 'the activities',
    mutate: ['src/activities/**/*.ts'],
    tests: ['test/activities/**/*.test.ts', 'test/workflows/generation/{generation,waiting,storing}.test.ts'],
  },
  {
    name: 'client',
    what: 'the client',
    mutate: ['src/client/**/*.ts'],
    tests: ['test/client/**/*.test.ts'],
  },
  {
    name: 'starter',
    what: 'the command line',
    mutate: ['src/starter/**/*.ts'],
    tests: ['test/starter/**/*.test.ts'],
  },
  {
    name: 'generation',
    what: 'the workflow generation',
    mutate: ['src/workflows/generation/**/*.ts'],
    tests: ['test/workflows/generation/*.test.ts'],
  },
  {
    name: 'pipeline',
    what: 'the workflow pipeline',
    mutate: ['src/workflows/pipeline/**/*.ts'],
    tests: ['test/workflows/pipeline/*.test.ts'],
  },
];
