import { isList, isRecord } from '../../api/json/is-record.ts';
import { isTaskId } from '../../api/records/task-id.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { Attempt } from '../../contract/generation.ts';
import type { SubmitTaskResult } from '../../contract/tasks/submit-task.ts';
import { decode, type HistoryEvent } from '../../temporal/history.ts';

/** A submit of unknown outcome, as its run had been told of it. */
export type ToldUnknown = Extract<SubmitTaskResult, { kind: 'unknown' }>;

/** What a run was handed by the one that it goes on for, whose history had become long, and which may be deleted since. */
export interface Carried {
  /** The task that it holds. */
  taskId: string | undefined;
  /** What that one cost, where it was known. */
  usage: Usage | undefined;
  /** What has become of those before it. */
  ends: VainEnd[];
  /** The submit that it looks for, and the latest one that was given up. */
  unknown: ToldUnknown | undefined;
  gaveUp: ToldUnknown | undefined;
  /** The tasks that it was told of, oldest first. */
  told: string[];
  /** Those that people have had it adopt and others have bought. */
  foreign: string[];
  /** Whether it has looked for all that runs before it have bought. */
  lookedBack: boolean;
}

/** Read from a run's first event. Anybody may start a run with anything: what has another form is nothing. */
export function carriedBy({
  workflowExecutionStartedEventAttributes: start,
}: HistoryEvent): Carried | undefined {
  const [, state] = start == null ? [] : decode<[unknown, unknown]>(start.input);
  if (!isRecord(state)) return undefined;
  const { stage, gaveUp, heard, attempts } = state;
  const { search, wait, task } = isRecord(stage) ? stage : {};
  const held = isRecord(wait) ? wait['task'] : task;
  const taskId = isRecord(held) ? held['taskId'] : undefined;
  return {
    taskId: isTaskId(taskId) ? taskId : undefined,
    usage: isRecord(held) && isRecord(held['usage']) ? (held['usage'] as unknown as Usage) : undefined, // its own
    ends: vainEnds(attempts),
    unknown: unknownIn(search),
    gaveUp: unknownIn(gaveUp),
    told: toldIn(heard),
    foreign: [state, heard].flatMap(foreignIn),
    lookedBack: state['lookedBack'] === true,
  };
}

function unknownIn(holder: unknown): ToldUnknown | undefined {
  const unknown = isRecord(holder) ? holder['unknown'] : undefined;
  return isRecord(unknown) && typeof unknown['since'] === 'number'
    ? (unknown as unknown as ToldUnknown) // a generation's own state
    : undefined;
}

function foreignIn(holder: unknown): string[] {
  const foreign = isRecord(holder) ? holder['foreign'] : undefined;
  return isList(foreign) ? foreign.filter(isTaskId) : [];
}

function toldIn(heard: unknown): string[] {
  const entries = (name: string): unknown[][] => {
    const list = isRecord(heard) ? heard[name] : undefined;
    return Array.isArray(list) ? list.filter((entry) => Array.isArray(entry)) : [];
  };
  return [
    ...entries('ended').map(([taskId]) => taskId),
    ...entries('proofs').map(([, proof]) => (isRecord(proof) ? proof['taskId'] : undefined)),
    ...entries('grants').map(([, taskId]) => taskId),
  ].filter(isTaskId);
}

/** A task that has left nothing to take over; one that has vanished may be there again. */
export type VainEnd = [taskId: string, end: 'in vain' | 'vanished'];

/** What attempts tell of such tasks. Anybody may start a run: anything may stand there. */
export function vainEnds(attempts: unknown): VainEnd[] {
  return (isList(attempts) ? attempts : []).flatMap((attempt): VainEnd[] => {
    const { taskId, outcome } = isRecord(attempt) ? (attempt as Partial<Attempt>) : {};
    if (typeof taskId !== 'string') return [];
    if (outcome === 'vanished') return [[taskId, 'vanished']];
    return outcome === 'failed' || outcome === 'canceled' ? [[taskId, 'in vain']] : [];
  });
}
