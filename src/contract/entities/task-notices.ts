import type { Family } from '../../api/family.ts';
import type { FieldDigests } from '../../api/input/field-digests.ts';
import type { Usage } from '../../api/records/usage.ts';
import type { SubmitProof } from './claims.ts';

// What `unclaimed-tasks/<workspace>` is told of tasks, and finds out about them. Ids and digests, never an input: it is
// told of foreign tasks as well. Times are milliseconds since the epoch where nothing else is said.

/** A task that no workflow is known to hold. */
export interface TaskNotice {
  taskId: string;
  /** When it was heard of, by the clock of who tells; an event that came later in its life counts from its creation on. */
  arrivedAt: number;
  /** By the clock that dates the API's answers; null where it was not told. */
  createdAt: number | null;
  /** Of its normalized input, by their names on the wire, and of its template. */
  fields: FieldDigests;
  /** The workflow whose submit got this task's id as its answer: only it may claim the task. */
  owner?: string;
  /** The URLs of its files, where the event of its end has told them: its record may have none. */
  artifacts?: string[];
  /** What it costs, where its event has told it: its record may be gone before anybody has read it. */
  credits?: number;
}

/** Argument of the signal `taskCreated`. */
export interface TaskNotices {
  tasks: TaskNotice[];
  /** When they were told, by the same clock: it may be wrong, and is only good for how long ago they were heard of. */
  toldAt: number;
}

/** A task as its event tells of it; handed over as a `TaskNotice`. */
export interface CreatedTask {
  taskId: string;
  webhookId: string;
  /** The normalized input, as the event carried it. */
  input: Record<string, unknown>;
  /** Of the template that it was created from, as the event told it. */
  templateId?: string;
  /** ISO 8601 by the clock that writes the API's records, or null. */
  createdAt: string | null;
  /** How far that one is behind the clock that dates the API's answers, in milliseconds. */
  recordsBehind?: number;
  /** When the receiver got the event, by its clock. */
  receivedAt: number;
  artifacts?: string[];
  credits?: number;
}

/** A run that is to get a task. */
export interface TaskReceiver {
  workflowId: string;
  runId: string;
  /** The first run of its purchase. */
  firstRunId: string;
}

/** The name of a task in the namespace, and who is to get the task. */
export interface TaskName extends TaskReceiver {
  taskId: string;
}

/** Whose a task's name is, once it was asked for. */
export type TakenName = { taskId: string } & (
  | { kind: 'ours' }
  /** It was taken for another workflow id, on that task queue, which runs, or has the task. */
  | { kind: 'other'; workflowId: string; taskQueue: string }
  /** It could not be taken: nobody can tell whose it is. */
  | { kind: 'unreadable'; reason: string }
);

/** Why a run does not get a task, in words. */
export function whyNotOurs(name: Exclude<TakenName, { kind: 'ours' }>): string {
  if (name.kind === 'unreadable') return name.reason;
  return `it is kept for ${name.workflowId} (by task queue ${name.taskQueue})`;
}

/** Who holds a task, and what its record tells. */
export type Ownership =
  /** `model`: of the workflow that holds it. */
  | { kind: 'held'; model?: string }
  /**
   * A submit that may be its is in flight. `unverified`: too many are, so that not all were looked at. `untilLookedBack`:
   * a run that goes on for another one has yet to look at what that one has bought, however long it waits for its turn.
   * `keptFor`: its name was taken for that workflow, which runs or has it.
   */
  | { kind: 'in flight'; unverified?: true; untilLookedBack?: true; keptFor?: string }
  /** Its record cannot be read: nobody can tell whose it is. */
  | { kind: 'unreadable'; reason: string }
  | {
      kind: 'free';
      /** Where its record tells. */
      family?: Family;
      /** It has failed or was canceled: somebody may have had it, before buying the next one. */
      endedWithoutResult?: true;
      outcome?: SubmitProof['outcome'];
      usage?: Usage;
      /** Of the record's input, where they are others than those that were handed over. */
      fields?: FieldDigests;
    };
