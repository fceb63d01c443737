import { Accounts } from '../../../emulator/src/accounts/accounts.ts';
import { Ledger } from '../../../emulator/src/accounts/ledger.ts';
import { newWorkspace } from '../../../emulator/src/accounts/start-accounts.ts';
import { type AssumptionsInput, assumptionsSchema } from '../../../emulator/src/assumptions.ts';
import { Changes } from '../../../emulator/src/storage/changes.ts';
import { sqliteStorage } from '../../../emulator/src/storage/sqlite-storage.ts';
import { Lifecycle } from '../../../emulator/src/tasks/lifecycle.ts';
import { type StoredOutput, type Task, Tasks } from '../../../emulator/src/tasks/tasks.ts';

/** When the tasks of these tests are accepted, start and finish. */
export const NOW = Date.UTC(2030, 0, 1);
export const START = NOW + 100;
export const FINISH = NOW + 300;

/** A picture that a task has made. */
export const OUTPUT: StoredOutput = {
  fileName: 'fox.png',
  contentType: 'image/png',
  size: 70,
  width: 2,
  height: 2,
  duration: null,
  etag: '"tiny"',
  source: { kind: 'tiny', media: 'image' },
};

/** A queued task of one image, bought for eight credits. */
export function newTask(more: Partial<Task> = {}): Task {
  return {
    id: 'task-1',
    model: 'image-l',
    workspace: 'studio',
    input: { prompt: 'a fox', n: 1 },
    prompt: 'a fox',
    results: 1,
    template: null,
    workflow: null,
    seed: 7,
    createdAt: NOW,
    usage: { total: 8, subscription: 5, permanent: 3 },
    status: 'IN_QUEUE',
    startedAt: null,
    completedAt: null,
    startDue: START,
    finishDue: FINISH,
    fate: { kind: 'complete' },
    code: null,
    message: null,
    outputs: [],
    extra: {},
    vanished: false,
    gets: 0,
    ...more,
  };
}

/** The parts that a task moves through, on a database of their own, and the events that are published. */
export function taskStage(assumptions: AssumptionsInput = {}) {
  const storage = sqliteStorage(':memory:');
  const changes = new Changes();
  const keeping = { storage, changes };
  const accounts = new Accounts(keeping);
  const ledger = new Ledger(keeping);
  const tasks = new Tasks(keeping, 2);
  const events: string[] = [];
  const lifecycle = new Lifecycle({
    storage,
    accounts,
    tasks,
    ledger,
    assumptions: assumptionsSchema.parse(assumptions),
    publish: (type) => void events.push(type),
  });
  accounts.saveWorkspace(newWorkspace('studio', { credits: { permanent: 10, subscription: 20 } }));
  return { storage, changes, accounts, ledger, tasks, lifecycle, events };
}
