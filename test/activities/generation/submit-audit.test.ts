import { type Client, WorkflowNotFoundError } from '@temporalio/client';
import { afterEach, describe, expect, it } from 'vitest';
import { SubmitAudit, type SubmitAuditDeps } from '../../../src/activities/generation/submit-audit.ts';
import { eventually } from '../../eventually.ts';

/** Nobody has any of these runs; describing one may fail. */
function client(fails: (workflowId: string) => boolean = () => false): Client {
  const gone = (workflowId: string): never => {
    if (fails(workflowId)) throw new Error('Temporal is away');
    throw new WorkflowNotFoundError('not found', workflowId, undefined);
  };
  return {
    withDeadline: async (_: number, ask: () => Promise<unknown>) => await ask(),
    workflow: {
      getHandle: (workflowId: string) => ({
        fetchHistory: async () => gone(workflowId),
        describe: async () => gone(workflowId),
      }),
    },
  } as unknown as Client; // all that is used of it
}

const audits: SubmitAudit[] = [];
afterEach(async () => {
  for (const audit of audits.splice(0)) await audit.stop();
});

function open(over: Partial<SubmitAuditDeps> = {}) {
  const handedOver: string[] = [];
  const audit = new SubmitAudit(
    {
      temporal: client(),
      find: async () => new Map(),
      handOver: async (_, { taskId }) => void handedOver.push(taskId),
      metrics: { handedOver() {} },
      log: { warn() {} },
      ...over,
    },
    { after: 0, every: 2, longest: 10, last: 1_000 },
  );
  audits.push(audit);
  const add = (taskId: string, at = Date.now()): void =>
    audit.add({
      taskId,
      workspace: 'default',
      workflowId: taskId,
      runId: 'r',
      activityId: '1',
      fields: {},
      credits: 0,
      at,
    });
  return { audit, add, handedOver };
}

describe('an accepted submit', () => {
  it('is held until it could be looked up, however old it is by then', async () => {
    let asked = 0;
    const { add, handedOver } = open({
      find: async () => {
        asked += 1;
        if (asked < 5) throw new Error('Temporal is away');
        return new Map();
      },
    });
    add('old', Date.now() - 7 * 24 * 3_600_000);
    await eventually(() => expect(handedOver).toEqual(['old']));
    expect(asked).toBe(5);
  });

  it('that cannot be looked up keeps no other from it', async () => {
    const { add, handedOver } = open({ temporal: client((id) => id.startsWith('stuck')) });
    for (const id of ['stuck 1', 'a', 'stuck 2', 'b']) add(id);
    await eventually(() => expect(handedOver).toEqual(['a', 'b']));
  });

  it('whose run is deleted is handed over all the same: another run of its workflow may take it', async () => {
    const { add, handedOver } = open();
    add('deleted');
    await eventually(() => expect(handedOver).toEqual(['deleted']));
  });

  it('that a workflow of this process has is not looked up', async () => {
    const looked: string[] = [];
    const { audit, add } = open({
      find: async (tasks) => {
        looked.push(...tasks.map(({ taskId }) => taskId));
        return new Map();
      },
    });
    add('arrived');
    audit.arrived({ workspace: 'default', taskId: 'arrived' });
    add('other');
    await eventually(() => expect(looked).toEqual(['other']));
  });

  it('is tried again where it cannot be handed over now', async () => {
    let refusals = 3;
    const taken: string[] = [];
    const { add } = open({
      handOver: async (_, { taskId }) => {
        refusals -= 1;
        if (refusals >= 0) throw new Error('Temporal is away');
        taken.push(taskId);
      },
    });
    add('a');
    await eventually(() => expect(taken).toEqual(['a']));
  });

  it('is held among however many: none makes room for another', async () => {
    const away = { is: true };
    const { add, handedOver } = open({
      find: async () => {
        if (away.is) throw new Error('Temporal is away');
        return new Map();
      },
    });
    const ids = Array.from({ length: 20_000 }, (_, n) => `t${n}`);
    for (const id of ids) add(id);
    away.is = false;
    await eventually(() => expect(handedOver).toHaveLength(20_000));
  });

  it('is looked up once more when the process ends, however young it is', async () => {
    const { audit, handedOver } = open();
    audit.add({
      taskId: 'young',
      workspace: 'default',
      workflowId: 'w',
      runId: 'r',
      activityId: '1',
      fields: {},
      credits: 0,
      at: Date.now() + 3_600_000,
    });
    await audit.stop();
    expect(handedOver).toEqual(['young']);
  });
});
