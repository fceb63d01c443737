import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { takeTaskNames } from '../../../src/activities/unclaimed-tasks/take-task-names.ts';
import type { TakenName } from '../../../src/contract/entities/task-notices.ts';

interface Named {
  taskQueue: string;
  memo?: Record<string, unknown>;
  closeTime?: Date;
}

/** A namespace whose workflows are known by their ids. */
class Namespace {
  readonly workflows = new Map<string, Named>();
  /** A workflow that was there is deleted before anybody can look at it. */
  isDeleted = false;
  /** An id that the server refuses. */
  refused = '';

  readonly #client = {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: {
      start: async (type: string, { workflowId, taskQueue, memo }: Named & { workflowId: string }) => {
        if (workflowId === this.refused) throw new Error('WorkflowId length exceeds limit.');
        if (this.workflows.has(workflowId))
          throw new WorkflowExecutionAlreadyStartedError('it is there', workflowId, type);
        this.workflows.set(workflowId, { taskQueue, ...(memo && { memo }) });
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

  async take(taskQueue: string, workflowId: string, ...taskIds: string[]): Promise<TakenName[]> {
    const deps = { temporal: this.#client, taskQueue };
    const names = taskIds.map((taskId) => ({ taskId, workflowId }));
    return await new MockActivityEnvironment().run(() => takeTaskNames(deps, names));
  }
}

const ours = (...taskIds: string[]) => taskIds.map((taskId) => ({ taskId, kind: 'ours' }));
const anotherHas = (taskId: string, more: object) => [{ taskId, kind: 'other', isOpen: false, ...more }];

describe('the name of a task', () => {
  it('is taken for the workflow id that it is asked for first, on whatever task queue that asks again', async () => {
    const namespace = new Namespace();
    expect(await namespace.take('darkroom', 'generation/a', 't', 'u')).toEqual(ours('t', 'u'));
    for (const queue of ['darkroom', 'another'])
      expect(await namespace.take(queue, 'generation/a', 't')).toEqual(ours('t'));
    expect(namespace.workflows.get('task/t')).toMatchObject({
      taskQueue: 'darkroom',
      memo: { takenFor: 'generation/a' },
    });
  });

  it.each(['darkroom', 'another'])('is nobody else’s: not of task queue %s, either', async (queue) => {
    const namespace = new Namespace();
    await namespace.take('darkroom', 'generation/a', 't');
    const of = { workflowId: 'generation/a', taskQueue: 'darkroom' };
    expect(await namespace.take(queue, 'generation/b', 't', 'v')).toEqual(
      expect.arrayContaining([...anotherHas('t', of), ...ours('v')]),
    );
  });

  it('is told with whether the workflow that it is for runs', async () => {
    const namespace = new Namespace();
    await namespace.take('darkroom', 'generation/a', 't');
    namespace.workflows.set('generation/a', { taskQueue: 'darkroom' });
    expect(await namespace.take('another', 'generation/b', 't')).toMatchObject([{ isOpen: true }]);
    namespace.workflows.set('generation/a', { taskQueue: 'darkroom', closeTime: new Date() });
    expect(await namespace.take('another', 'generation/b', 't')).toMatchObject([{ isOpen: false }]);
  });

  it('is nobody’s as long as nobody can tell whose it was', async () => {
    const namespace = new Namespace();
    await namespace.take('another', 'generation/a', 't');
    namespace.isDeleted = true;
    expect(await namespace.take('darkroom', 'generation/a', 't')).toMatchObject([{ kind: 'unreadable' }]);
    namespace.isDeleted = false;
    namespace.workflows.set('task/t', { taskQueue: 'somebody else’s' });
    expect(await namespace.take('darkroom', 'generation/a', 't')).toMatchObject([{ kind: 'unreadable' }]);
  });

  it('that Temporal refuses keeps no other from being taken', async () => {
    const namespace = new Namespace();
    namespace.refused = 'task/u';
    expect(await namespace.take('darkroom', 'generation/a', 't', 'u', 'v')).toEqual(
      expect.arrayContaining([
        ...ours('t', 'v'),
        { taskId: 'u', kind: 'unreadable', reason: expect.stringContaining('exceeds limit') },
      ]),
    );
  });
});
