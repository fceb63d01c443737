import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { KeptClaim } from '../../../src/contract/entities/unclaimed-tasks.ts';
import type { Entry } from '../../../src/workflows/unclaimed-tasks/kept-tasks.ts';

/** The fields that every example has. */
export const FOX = fieldDigests({ prompt: 'fox' });

/** What every form of a claim tells of its submit. */
export const submit = (claimId: string) => ({
  claimId,
  workflowId: `generation/${claimId}`,
  firstRunId: claimId,
  runId: claimId,
  model: 'image-l',
  fields: FOX,
  since: 0,
});

/** What every form of a task tells. */
export const task = (taskId: string) => ({ taskId, arrivedAt: 0, createdAt: null, fields: FOX });

export const keptClaim = (claimId: string, over: Partial<KeptClaim> = {}): KeptClaim => ({
  ...submit(claimId),
  wait: 60_000,
  patience: 10_000,
  looksFrom: 0,
  looksUntilAtMost: 600_000,
  ...over,
});

export const entry = (taskId: string, over: Partial<Entry> = {}): Entry => ({
  ...task(taskId),
  addedAt: 0,
  ...over,
});
