import type { GenerationState, Progress } from '../../contract/generation.ts';
import type { StepState } from '../../terminal/step-line.ts';

const NOTES: Record<GenerationState, (progress: Progress, workflowId: string) => string> = {
  submitting: ({ attempts }) =>
    attempts.length === 0 ? 'submitting' : `submitting again, attempt ${attempts.length + 1}`,
  waiting: ({ taskId }) => `waiting for task ${taskId}`,
  reconciling: () => 'the answer to the submit got lost: looking for its task',
  parked: () => 'waiting for credits',
  'needs a decision': (_, workflowId) =>
    `needs a decision: npm run starter -- decide ${workflowId} resubmit (or: adopt --task <id>, fail)`,
  storing: () => 'storing the files',
  done: () => 'done',
};

/** What a generation is doing, in a few words. */
export function progressNote(progress: Progress, workflowId: string): { state: StepState; note: string } {
  const needsLook = progress.state === 'parked' || progress.state === 'needs a decision';
  return { state: needsLook ? 'attention' : 'running', note: NOTES[progress.state](progress, workflowId) };
}
