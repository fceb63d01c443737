import { fieldDigests } from '../../../src/api/field-digests.ts';
import type { KeptClaim } from '../../../src/contract/unclaimed-tasks.ts';
import type { Entry } from '../../../src/workflows/unclaimed-tasks/kept-tasks.ts';

/** The fields that every example has. */
export const FOX = fieldDigests({ prompt: 'fox' });

export const keptClaim = (claimId: string, over: Partial<KeptClaim> = {}): KeptClaim => ({
  claimId,
  workflowId: `generation/${claimId}`,
  firstRunId: claimId,
  runId: claimId,
  model: 'image-l',
  fields: FOX,
  since: 0,
  wait: 60_000,
  patience: 10_000,
  looksFrom: 0,
  looksUntilAtMost: 600_000,
  ...over,
});

export const entry = (taskId: string, over: Partial<Entry> = {}): Entry => ({
  taskId,
  arrivedAt: 0,
  createdAt: null,
  addedAt: 0,
  fields: FOX,
  ...over,
});
