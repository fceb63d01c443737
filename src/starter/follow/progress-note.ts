import type { GenerationState, Progress } from '../../contract/generation.ts';
import type { StepLine } from '../../terminal/step-line.ts';
import { ownCommand } from '../own-command.ts';

/** What a generation is doing, in a few words; with commands where it waits for a person. */
export type ProgressNote = Pick<StepLine, 'state' | 'note' | 'commands'>;

const NOTES: Record<GenerationState, (progress: Progress, workflowId: string) => ProgressNote> = {
  submitting: ({ attempts }) =>
    running(attempts.length === 0 ? 'submitting' : `submitting again, attempt ${attempts.length + 1}`),
  waiting: ({ taskId, trouble }) =>
    running(trouble === null ? `waiting for task ${taskId}` : `waiting for its task: ${trouble}`),
  reconciling: () => running('the answer to the submit got lost: looking for its task'),
  parked: (_, workflowId) => ({
    state: 'attention',
    note: 'waiting for credits; top up, and it goes on by itself',
    commands: [ownCommand('check', workflowId)],
  }),
  'needs a decision': (_, workflowId) => ({
    state: 'attention',
    note: 'needs a decision',
    commands: [
      ownCommand('decide', workflowId, 'resubmit'),
      `${ownCommand('decide', workflowId, 'adopt', '--task')} <task id>`,
      ownCommand('decide', workflowId, 'fail'),
    ],
  }),
  storing: ({ trouble }, workflowId) =>
    trouble === null
      ? running('storing the files')
      : { state: 'attention', note: trouble, commands: [ownCommand('check', workflowId)] },
  done: () => running('done'),
};

export function progressNote(progress: Progress, workflowId: string): ProgressNote {
  return NOTES[progress.state](progress, workflowId);
}

function running(note: string): ProgressNote {
  return { state: 'running', note };
}
