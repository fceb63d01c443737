import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { TypedSearchAttributes } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { takeTaskNames } from '../../../src/activities/unclaimed-tasks/take-task-names.ts';
import type { TakenName, TaskReceiver } from '../../../src/contract/entities/task-notices.ts';
import { DarkroomTaskId } from '../../../src/contract/search-attributes.ts';

interface Listed {
  taskQueue: string;
  runId: string;
  memo?: Record<string, unknown>;
  closeTime?: Date;
  typedSearchAttributes: TypedSearchAttributes;
  raw: { workflowExecutionInfo: { firstRunId: string } };
}

/** A namespace whose workflows are known by their ids. */
class Namespace {
  readonly workflows = new Map<string, Listed>();
  /** A workflow that was there is deleted before anybody can look at it. */
  isDeleted = false;
  /** An id that the server refuses. */
  refused = '';

  readonly #client = {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: {
      start: async (type: string, { workflowId, taskQueue, memo }: Listed & { workflowId: string }) => {
        if (workflowId === this.refused) throw new Error('WorkflowId length exceeds limit.');
        if (this.workflows.has(workflowId))
          throw new WorkflowExecutionAlreadyStartedError('it is there', workflowId, type);
        this.add(workflowId, `name-${this.workflows.size}`, { taskQueue, ...(memo && { memo }) });
      },
      getHandle: (workflowId: string) => ({
        describe: async () => {
          const workflow = this.isDeleted ? undefined : this.workflows.get(workflowId);
          if (workflow === undefined) throw new WorkflowNotFoundError('not found', workflowId, undefined);
          return workflow;
        },
      }),
    },
  } as unknown as Client; // all that is used of it

  add(workflowId: string, runId: string, more: Partial<Listed> = {}): void {
    const raw = { workflowExecutionInfo: { firstRunId: runId } };
    const typedSearchAttributes = new TypedSearchAttributes();
    this.workflows.set(workflowId, { taskQueue: 'darkroom', runId, raw, typedSearchAttributes, ...more });
  }

  async take(taskQueue: string, to: TaskReceiver, ...taskIds: string[]): Promise<TakenName[]> {
    const deps = { temporal: this.#client, taskQueue };
    const names = taskIds.map((taskId) => ({ taskId, ...to }));
    return await new MockActivityEnvironment().run(() => takeTaskNames(deps, names));
  }
}

const A: TaskReceiver = { workflowId: 'generation/a', runId: 'a1', firstRunId: 'a1' };
const B: TaskReceiver = { workflowId: 'generation/b', runId: 'b1', firstRunId: 'b1' };
const ours = (...taskIds: string[]) => taskIds.map((taskId) => ({ taskId, kind: 'ours' }));
const kept = (taskId: string, { workflowId }: TaskReceiver) => [
  { taskId, kind: 'other', workflowId, taskQueue: 'darkroom' },
];

/** One in which A runs, and has the name of `t`. */
async function named(): Promise<Namespace> {
  const namespace = new Namespace();
  namespace.add(A.workflowId, A.runId);
  expect(await namespace.take('darkroom', A, 't', 'u')).toEqual(ours('t', 'u'));
  return namespace;
}

describe('the name of a task', () => {
  it('is taken for the run that it is asked for first, on whatever task queue that asks again', async () => {
    const namespace = await named();
    for (const queue of ['darkroom', 'another'])
      expect(await namespace.take(queue, A, 't')).toEqual(ours('t'));
    expect(namespace.workflows.get('task/t')).toMatchObject({ taskQueue: 'darkroom', memo: { takenFor: A } });
  });

  it.each(['darkroom', 'another'])(
    'is nobody else’s while that one runs: not of task queue %s, either',
    async (queue) => {
      const namespace = await named();
      expect(await namespace.take(queue, B, 't', 'v')).toEqual(
        expect.arrayContaining([...kept('t', A), ...ours('v')]),
      );
    },
  );

  it('is the next one’s where that one is over, and stays it', async () => {
    const namespace = await named();
    namespace.add(A.workflowId, A.runId, { closeTime: new Date() });
    namespace.add(B.workflowId, B.runId);
    expect(await namespace.take('another', B, 't')).toEqual(ours('t'));
    expect(await namespace.take('darkroom', B, 't')).toEqual(ours('t'));
    // A Reset brings the first one back.
    const again = { ...A, runId: 'a2' };
    namespace.add(A.workflowId, again.runId, {
      raw: { workflowExecutionInfo: { firstRunId: A.firstRunId } },
    });
    for (const one of [A, again])
      expect(await namespace.take('darkroom', one, 't')).toMatchObject([
        { kind: 'other', workflowId: B.workflowId },
      ]);
  });

  it('goes to one run of the same workflow id after the other', async () => {
    const namespace = await named();
    const again = { ...A, runId: 'a2' };
    namespace.add(A.workflowId, again.runId, {
      raw: { workflowExecutionInfo: { firstRunId: A.firstRunId } },
    });
    expect(await namespace.take('darkroom', B, 't')).toEqual(kept('t', A));
    expect(await namespace.take('darkroom', again, 't')).toEqual(ours('t'));
    expect(await namespace.take('darkroom', B, 't')).toEqual(kept('t', A));
  });

  it('stays with one that is over and has the task', async () => {
    const namespace = await named();
    const typedSearchAttributes = new TypedSearchAttributes([{ key: DarkroomTaskId, value: 't' }]);
    namespace.add(A.workflowId, A.runId, { closeTime: new Date(), typedSearchAttributes });
    expect(await namespace.take('darkroom', B, 't')).toEqual(kept('t', A));
    expect(await namespace.take('darkroom', B, 'u')).toEqual(ours('u'));
  });

  it('is free where another purchase of the same workflow id runs', async () => {
    const namespace = await named();
    namespace.add(A.workflowId, 'another');
    expect(await namespace.take('darkroom', B, 't')).toEqual(ours('t'));
  });

  it('is nobody’s as long as nobody can tell whose it was', async () => {
    const namespace = await named();
    namespace.isDeleted = true;
    expect(await namespace.take('darkroom', A, 't')).toMatchObject([{ kind: 'unreadable' }]);
  });

  it.each([undefined, { takenFor: 'me' }])(
    'is free where one is there that is none of ours (%j)',
    async (memo) => {
      const namespace = new Namespace();
      namespace.add('task/t', 'somebody’s', memo && { memo });
      expect(await namespace.take('darkroom', A, 't')).toEqual(ours('t'));
      expect([...namespace.workflows.keys()]).toEqual(['task/t', 'task/t/somebody’s']);
    },
  );

  it('that Temporal refuses keeps no other from being taken', async () => {
    const namespace = new Namespace();
    namespace.refused = 'task/u';
    expect(await namespace.take('darkroom', A, 't', 'u', 'v')).toEqual(
      expect.arrayContaining([
        ...ours('t', 'v'),
        { taskId: 'u', kind: 'unreadable', reason: expect.stringContaining('exceeds limit') },
      ]),
    );
  });
});
