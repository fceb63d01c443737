import { type Client, WorkflowExecutionAlreadyStartedError, WorkflowNotFoundError } from '@temporalio/client';
import { MockActivityEnvironment } from '@temporalio/testing';
import { describe, expect, it } from 'vitest';
import { nameOf, takeTaskNames } from '../../../src/activities/unclaimed-tasks/take-task-names.ts';

/** A namespace whose workflows are known by the task queues that they were started in. */
class Namespace {
  readonly queues = new Map<string, string>();
  /** A workflow that was there is deleted before anybody can look at it. */
  isDeleted = false;

  readonly #client = {
    options: { namespace: 'default' },
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: {
      start: async (type: string, { workflowId, taskQueue }: { workflowId: string; taskQueue: string }) => {
        if (this.queues.has(workflowId))
          throw new WorkflowExecutionAlreadyStartedError('it is there', workflowId, type);
        this.queues.set(workflowId, taskQueue);
      },
      getHandle: (workflowId: string) => ({
        describe: async () => {
          if (this.isDeleted) throw new WorkflowNotFoundError('not found', workflowId, undefined);
          return { taskQueue: this.queues.get(workflowId) };
        },
      }),
    },
  } as unknown as Client; // all that is used of it

  take(taskQueue: string, ...taskIds: string[]): Promise<string[]> {
    const deps = { temporal: this.#client, taskQueue };
    return new MockActivityEnvironment().run(() => takeTaskNames(deps, taskIds));
  }

  nameOf(taskQueue: string, taskId: string): Promise<string> {
    return nameOf({ temporal: this.#client, taskQueue }, taskId);
  }
}

describe('the name of a task', () => {
  it('is the first deployment’s that asks for it, however often it asks', async () => {
    const namespace = new Namespace();
    expect(await namespace.take('darkroom', 't', 'u')).toEqual(['t', 'u']);
    expect(await namespace.take('another', 'u', 'v')).toEqual(['v']);
    expect(await namespace.take('darkroom', 't', 'u', 'v')).toEqual(['t', 'u']);
    expect(namespace.queues.get('task/t')).toBe('darkroom');
  });

  it('is told with the deployment that has it', async () => {
    const namespace = new Namespace();
    expect(await namespace.nameOf('another', 't')).toBe('another');
    expect(await namespace.nameOf('darkroom', 't')).toBe('another');
  });

  it('is asked for again where nobody can tell whose it was', async () => {
    const namespace = new Namespace();
    await namespace.take('another', 't');
    namespace.isDeleted = true;
    await expect(namespace.take('darkroom', 't')).rejects.toThrow(/asked for again/);
  });
});
