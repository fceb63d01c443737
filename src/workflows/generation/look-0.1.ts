import type { TaskLook } from '../../contract/task-look.ts';
import { local } from './activities.ts';
import type { Steps } from './generation.ts';

/** Looks at a task for a run that was started with release 0.1: its files are stored by a step of their own. */
export async function lookAsIn01({ run }: Steps, taskId: string): Promise<TaskLook> {
  const report = await local.getTask({ taskId, workspace: run.workspace });
  if (report.kind !== 'record') return report;
  const { status, data, usage, code, message } = report;
  if (status === 'IN_QUEUE' || status === 'IN_PROGRESS') return { kind: 'open', usage };
  if (status !== 'COMPLETED') return { kind: 'ended', status, usage, code, message };
  return { kind: 'completed', usage, files: { kind: 'stored', data, outputs: [] } };
}
