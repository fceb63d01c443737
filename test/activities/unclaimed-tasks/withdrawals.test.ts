import { type Client, ServiceError, WorkflowNotFoundError } from '@temporalio/client';
import { describe, expect, it } from 'vitest';
import { Withdrawals } from '../../../src/activities/unclaimed-tasks/withdrawals.ts';
import type { Withdrawal, WithdrawalEnd } from '../../../src/contract/entities/claims.ts';

/** Stands in for the entity workflow: answers each update in turn, or refuses it. */
class Entity {
  readonly updates: string[][] = [];
  underWay = 0;
  mostUnderWay = 0;
  /** Called before each answer; may throw or wait. */
  onUpdate: (number: number) => void | Promise<void> = () => {};

  readonly client = {
    withDeadline: <T>(_: number, call: () => Promise<T>) => call(),
    workflow: {
      getHandle: () => ({
        executeUpdate: (_: string, { args }: { args: [Withdrawal[]] }) => this.#update(args[0]),
      }),
    },
  } as unknown as Client; // all that is used of it

  async #update(withdrawals: Withdrawal[]): Promise<WithdrawalEnd[]> {
    this.updates.push(withdrawals.map(({ claimId }) => claimId));
    this.underWay += 1;
    this.mostUnderWay = Math.max(this.mostUnderWay, this.underWay);
    try {
      await this.onUpdate(this.updates.length);
      return withdrawals.map(({ claimId }) => ({ kind: 'granted', taskId: `task of ${claimId}` }));
    } finally {
      this.underWay -= 1;
    }
  }
}

const withdrawal = (claimId: string): Withdrawal => ({ claimId, as: 'give up' });
const open = (entity: Entity) => new Withdrawals(entity.client, 'darkroom', { first: 1, longest: 4 });
const busy = () =>
  new ServiceError('Failed to update', {
    cause: Object.assign(new Error('limit on in-flight updates'), { code: 8, details: '', metadata: {} }),
  });

describe('withdrawals', () => {
  it('are asked for one update at a time, each with all that wait by then', async () => {
    const entity = new Entity();
    const withdrawals = open(entity);
    const names = Array.from({ length: 500 }, (_, n) => `c${n}`);
    const ends = await Promise.all(names.map((name) => withdrawals.withdraw('default', withdrawal(name))));
    expect(ends).toEqual(names.map((name) => ({ kind: 'granted', taskId: `task of ${name}` })));
    expect(entity.mostUnderWay).toBe(1);
    expect(entity.updates.length).toBeLessThan(5);
    expect(entity.updates.flat()).toHaveLength(500);
  });

  it('that are refused because others ask come again, until they are answered', async () => {
    const entity = new Entity();
    entity.onUpdate = (number) => {
      if (number <= 6) throw busy();
    };
    const end = open(entity).withdraw('default', withdrawal('a'));
    expect(await end).toEqual({ kind: 'granted', taskId: 'task of a' });
    expect(entity.updates).toHaveLength(7);
  });

  it('that are asked for again while they wait get the same answer, from one update', async () => {
    const entity = new Entity();
    const release = Promise.withResolvers<void>();
    entity.onUpdate = () => release.promise;
    const withdrawals = open(entity);
    const first = withdrawals.withdraw('default', withdrawal('a'));
    const second = withdrawals.withdraw('default', withdrawal('a'));
    release.resolve();
    expect(await second).toEqual(await first);
    expect(entity.updates).toEqual([['a']]);
  });

  it('of one claim that ask for different things are asked for apart', async () => {
    const entity = new Entity();
    const withdrawals = open(entity);
    await Promise.all([
      withdrawals.withdraw('default', { claimId: 'a', as: 'look' }),
      withdrawals.withdraw('default', { claimId: 'a', as: 'settled' }),
    ]);
    expect(entity.updates.flat()).toEqual(['a', 'a']);
  });

  it('fail with what else goes wrong, and the next ones are asked for all the same', async () => {
    const entity = new Entity();
    entity.onUpdate = (number) => {
      if (number === 1) throw new ServiceError('Temporal is away');
    };
    const withdrawals = open(entity);
    await expect(withdrawals.withdraw('default', withdrawal('a'))).rejects.toThrow('Temporal is away');
    expect(await withdrawals.withdraw('default', withdrawal('a'))).toMatchObject({ kind: 'granted' });
  });

  it('of claims that nobody knows of any more were never there', async () => {
    const entity = new Entity();
    entity.onUpdate = () => {
      throw new WorkflowNotFoundError('not found', 'unclaimed-tasks/default', undefined);
    };
    expect(await open(entity).withdraw('default', withdrawal('a'))).toEqual({ kind: 'not there' });
  });
});
