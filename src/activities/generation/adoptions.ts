import { isTaskId } from '../../api/records/task-id.ts';
import type { Decision } from '../../contract/generation.ts';
import { decideUpdate } from '../../contract/messages.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';
import { carriedBy } from './carried.ts';

/** A task that a person has had a run adopt; `otherInput`: of whatever input. */
type Adoption = Required<Pick<Decision, 'taskId'>> & Pick<Decision, 'otherInput'>;

/** A Reset leaves the decision out, or repeats it where nobody is asked yet: what it has named is the run's all the same. */
function adoptionsBy(event: HistoryEvent): Adoption[] {
  const { workflowExecutionUpdateAdmittedEventAttributes: admitted } = event;
  const { workflowExecutionUpdateAcceptedEventAttributes: accepted } = event;
  const { input } = accepted?.acceptedRequest ?? admitted?.request ?? {};
  if (input?.name !== decideUpdate.name) return [];
  const [decision] = decode<[Partial<Decision> | null]>(input.args);
  const { action, taskId, otherInput } = decision ?? {};
  return action === 'adopt' && isTaskId(taskId) ? [{ taskId, otherInput: otherInput === true }] : [];
}

/**
 * The tasks that people have had a run adopt whatever their input, or that it was handed as such: others may have bought
 * them.
 */
export function givenTasks(events: readonly HistoryEvent[]): string[] {
  return events.flatMap((event) => {
    const [told] = decode<[Partial<SubmitTaskResult & { taskId: string }>?]>(
      event.activityTaskCompletedEventAttributes?.result,
    );
    const isForeign = told?.kind === 'accepted' && told.foreign === true;
    return [
      ...(carriedBy(event)?.foreign ?? []),
      ...adoptionsBy(event).flatMap(({ taskId, otherInput }) => (otherInput === true ? [taskId] : [])),
      ...(isForeign && told.taskId !== undefined ? [told.taskId] : []),
    ];
  });
}

export const adoptedBy = (event: HistoryEvent): string[] => adoptionsBy(event).map(({ taskId }) => taskId);
