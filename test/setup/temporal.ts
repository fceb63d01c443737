import type { TestProject } from 'vitest/node';
import { openTemporal } from '../../src/local/temporal/open-temporal.ts';
import { cachedWorkflows } from '../../src/worker/workflow-bundle.ts';
import { PROMPT } from './prompt-server.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Host and port of the Temporal server that all tests of this run share: `inject('temporalAddress')`. */
    temporalAddress: string;
    temporalNamespace: string;
  }
}

/**
 * One Temporal server for the whole run: TEMPORAL_ADDRESS if it is set, else a dev server without its UI. And one bundle of
 * the workflows: without it each process of a run in a fresh clone would make its own at the same time.
 */
export default async function startTemporal(project: TestProject): Promise<() => Promise<void>> {
  await cachedWorkflows();
  const temporal = await openTemporal({
    ui: false,
    ports: { grpc: 0, ui: 0 },
    dynamicConfig: PROMPT,
  });
  project.provide('temporalAddress', temporal.address);
  project.provide('temporalNamespace', temporal.namespace);
  return temporal.stop;
}
