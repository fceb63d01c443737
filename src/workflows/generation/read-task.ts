import type { HeldTaskReport, TaskRequest } from '../../contract/tasks/task-look.ts';
import { local, whyFailed } from './activities.ts';

/** What one GET tells of a task; a look that fails tells no more of it than an API that is away. */
export async function readTask(request: TaskRequest): Promise<HeldTaskReport> {
  try {
    return await local.getTask(request);
  } catch (error) {
    return { kind: 'unavailable', code: 'LOOK_FAILED', reason: whyFailed(error) };
  }
}
