import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import type { TaskNotice, TaskNotices } from '../../src/contract/entities/task-notices.ts';
import { TaskHandOver } from '../../src/temporal/task-hand-over.ts';
import { noticeOf } from '../../src/temporal/unclaimed-tasks.ts';

/** Stands in for Temporal: takes signals, or refuses them. */
class Server {
  readonly signals: { workflowId: string; taskIds: string[]; bytes: number }[] = [];
  underWay = 0;
  refuses = false;

  readonly client = {
    withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
    workflow: {
      signalWithStart: async (
        _: string,
        { workflowId, signalArgs }: { workflowId: string; signalArgs: [TaskNotices] },
      ) => {
        if (this.refuses) throw new Error('Temporal is away');
        const [{ tasks }] = signalArgs;
        const bytes = JSON.stringify(signalArgs).length;
        this.signals.push({ workflowId, taskIds: tasks.map(({ taskId }) => taskId), bytes });
        return { signaledRunId: 'run' };
      },
      getHandle: (workflowId: string) => ({
        describe: () => Promise.reject(new WorkflowNotFoundError('no such workflow', workflowId, undefined)),
      }),
    },
  } as unknown as Client; // all that is used of it
}

const notice = (taskId: string, fields: TaskNotice['fields'] = {}): TaskNotice => ({
  taskId,
  arrivedAt: 1,
  createdAt: null,
  fields,
});

describe('tasks that are handed over', () => {
  it('at once share a signal, but for the first, which waits for nobody', async () => {
    const server = new Server();
    const handOver = new TaskHandOver(server.client, 'darkroom', { pause: 1 });
    const ids = Array.from({ length: 500 }, (_, n) => `t${n}`);
    await Promise.all(ids.map((id) => handOver.tell('default', notice(id))));
    expect(server.signals.flatMap(({ taskIds }) => taskIds)).toEqual(ids);
    expect(server.signals.map(({ taskIds }) => taskIds.length)).toEqual([1, 200, 200, 99]);
  });

  it('go to the entity of their workspace', async () => {
    const server = new Server();
    const handOver = new TaskHandOver(server.client, 'darkroom', { pause: 1 });
    await Promise.all(['a', 'b'].map((workspace) => handOver.tell(workspace, notice(workspace))));
    expect(server.signals.map(({ workflowId, taskIds }) => [workflowId, ...taskIds])).toEqual([
      ['unclaimed-tasks/a', 'a'],
      ['unclaimed-tasks/b', 'b'],
    ]);
  });

  it('are no large signal, however many fields they have', async () => {
    const server = new Server();
    const handOver = new TaskHandOver(server.client, 'darkroom', { pause: 1 });
    const input = Object.fromEntries(
      Array.from({ length: 64 }, (_, n) => [`${'a long name '.repeat(400)}${n}`, 'x'.repeat(1_000)]),
    );
    const task = { taskId: 't', webhookId: 'w', input, createdAt: null, receivedAt: 1 };
    await Promise.all(Array.from({ length: 100 }, () => handOver.tell('default', noticeOf(task, undefined))));
    expect(Math.max(...server.signals.map(({ bytes }) => bytes))).toBeLessThan(70_000);
  });

  it('that Temporal does not take are told to whoever handed them over, and the next ones are sent', async () => {
    const server = new Server();
    const handOver = new TaskHandOver(server.client, 'darkroom', { pause: 1 });
    server.refuses = true;
    const refused = await Promise.allSettled(['a', 'b'].map((id) => handOver.tell('default', notice(id))));
    expect(refused.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    server.refuses = false;
    await handOver.tell('default', notice('c'));
    expect(server.signals.flatMap(({ taskIds }) => taskIds)).toEqual(['c']);
  });
});
