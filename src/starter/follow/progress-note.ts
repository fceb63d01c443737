import { DECISIONS, type GenerationState, type Progress } from '../../contract/generation.ts';
import { ownCommand } from '../../package/own-command.ts';
import type { StepLine } from '../../terminal/step-line.ts';

/** What a generation is doing, in a few words; with commands where it waits for a person. */
export type ProgressNote = Pick<StepLine, 'state' | 'note' | 'commands'>;

const NOTES: Record<GenerationState, (progress: Progress, workflowId: string) => ProgressNote> = {
  submitting: ({ attempts, trouble }) =>
    running(
      attempts.length === 0 ? (trouble ?? 'submitting') : `submitting again, attempt ${attempts.length + 1}`,
    ),
  waiting: ({ taskId, trouble }, workflowId) => ({
    ...running(`waiting for task ${taskId}`),
    ...(trouble === null ? {} : { commands: [ownCommand('check', workflowId)] }),
  }),
  reconciling: () => running('the answer to the submit got lost: looking for its task'),
  parked: (_, workflowId) => ({
    state: 'attention',
    note: 'waiting for credits; top up, and it goes on by itself',
    commands: [ownCommand('check', workflowId)],
  }),
  'needs a decision': ({ decisions = DECISIONS }, workflowId) => ({
    state: 'attention',
    note: 'needs a decision',
    commands: decisions.map((action) => {
      const command = ownCommand('decide', workflowId, action);
      return action === 'adopt' ? `${command} --task <task id>` : command;
    }),
  }),
  storing: ({ trouble }, workflowId) =>
    trouble === null
      ? running('storing the files')
      : {
          state: 'attention',
          note: 'the files are not stored yet; it goes on trying',
          commands: [ownCommand('show', workflowId), ownCommand('check', workflowId)],
        },
  done: () => running('done'),
};

export function progressNote(progress: Progress, workflowId: string): ProgressNote {
  return NOTES[progress.state](progress, workflowId);
}

/** The same for a live line, which has no room for a second one: with what holds up the wait. */
export function liveNote(progress: Progress, workflowId: string): ProgressNote {
  const told = progressNote(progress, workflowId);
  const { state, trouble } = progress;
  return state === 'waiting' && trouble !== null ? { ...told, note: `${told.note}; ${trouble}` } : told;
}

function running(note: string): ProgressNote {
  return { state: 'running', note };
}
