import type { Progress } from '../../contract/generation.ts';
import { oneLine } from '../../terminal/printable.ts';
import { progressNote } from '../follow/progress-note.ts';
import { countAttempts, describeAttempts, describeUsage } from './describe-generation.ts';

/** How a running generation stands: what it does, what it waits for, what it has tried and what that cost. */
export function describeProgress(workflowId: string, progress: Progress): string {
  const { attempts, usage, nextPollAt, trouble } = progress;
  const { note, commands = [] } = progressNote(progress, workflowId);
  return [
    `${workflowId}: ${note}${nextPollAt === null ? '' : `; next poll at ${nextPollAt}`}`,
    ...(trouble === null ? [] : [`  ${oneLine(trouble)}`]),
    ...commands.map((command) => `  ${command}`),
    ...(attempts.length === 0 ? [] : [describeAttempts(attempts)]),
    `So far ${describeUsage(usage)}, ${countAttempts(attempts.length)} ended`,
  ].join('\n');
}
