import type { ApplicationFailure } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { Reservation } from '../../../src/activities/account/reservation.ts';
import type { AccountName, BookingEnd, CreditsFrom, Holder } from '../../../src/contract/entities/account.ts';
import { CAP_REACHED } from '../../../src/contract/tasks/submit-task.ts';
import type { Cap } from '../../../src/policy/caps.ts';

const purchase = { workflowId: 'generation/a', runId: 'run', activityId: '1', workspace: 'default' };
const priced = { cost: { price: 8 }, facts: undefined, model: 'image-l', tags: {} };
const done = async (): Promise<void> => undefined;

/** How a submit fails whose account says that. */
async function failureOf(
  end: BookingEnd | Error,
  { waits = 0, action = 'fail' }: { waits?: number; action?: Cap['action'] } = {},
) {
  const account = { scope: 'test', per: 'ever' } as const;
  const book = async (): Promise<BookingEnd> => {
    if (end instanceof Error) throw end;
    return end;
  };
  const books = { book, tell: done, accepted() {}, passed() {} };
  const payers = [{ account, words: () => 'a limit', credits: 24, action }];
  const reservation = new Reservation({ books, payers, purchase, tried: { attempt: 1 } });
  const made = reservation.make(priced, waits);
  return await made.then(
    () => undefined,
    (error: ApplicationFailure) => error, // all that it throws
  );
}

it('a refusal says what stands against it and what it may cost, by the account', async () => {
  const refused = { kind: 'refused', spent: 12, reserved: 2, until: null } as const;
  const said = async (price: number | null, holders: Holder[] = []) =>
    (await failureOf({ ...refused, price, holders }))?.message;
  expect(await said(14)).toBe(
    'a limit does not admit it: 12 are spent, 2 reserved, and it may cost 14. Raise the limit',
  );
  const holder = { workflowId: 'generation/b', credits: 2, isUnknown: false };
  expect(await said(null, [holder])).toBe(
    'a limit does not admit it: 12 are spent, 2 reserved, and nobody knows what it will cost. Reserved are 2 for generation/b. Wait for their end, or raise the limit',
  );
});

const busy = (from: CreditsFrom, waiting = 1): BookingEnd => ({
  kind: 'busy',
  spent: 0,
  reserved: 24,
  from,
  waiting,
  holders: [
    { workflowId: 'generation/lost', credits: 16, isUnknown: true },
    { workflowId: 'generation/b', credits: 8, isUnknown: false },
  ],
});

describe('a submit that waits for credits', () => {
  it.each(['submit', 'doubt', 'task', 'part'] as const)(
    'asks again within five seconds, however long it has waited for a %s',
    async (from) => {
      for (const waits of [0, 5, 50, 500])
        expect((await failureOf(busy(from), { waits }))?.nextRetryDelay).toBeLessThanOrEqual(5_000);
    },
  );

  it('takes its turn among a thousand, some thirty a second, so that one of them is soon there', async () => {
    const asking = Array.from({ length: 1_000 }, async (): Promise<number> => {
      const failure = await failureOf(busy('task', 1_000), { waits: 500 });
      return Number(failure?.nextRetryDelay);
    });
    const pauses = (await Promise.all(asking)).sort((a, b) => a - b);
    expect(pauses.reduce((sum, pause) => sum + pause, 0) / pauses.length).toBeGreaterThan(25_000);
    const apart = pauses.map((pause, n) => pause - (pauses[n - 1] ?? 0));
    expect(Math.max(...apart)).toBeLessThan(3_000);
  });

  it('says which account does not answer, and is tried again', async () => {
    expect(await failureOf(new Error('no answer in time'))).toMatchObject({
      type: 'ACCOUNT_AWAY',
      message: 'the account of a limit does not answer: no answer in time',
      nonRetryable: false,
    });
  });

  it('asks first whom it waits for: of the others it takes nothing meanwhile', async () => {
    const asked: string[] = [];
    const book = async ({ scope }: AccountName): Promise<BookingEnd> => {
      asked.push(scope);
      return scope === 'cap' ? busy('task') : { kind: 'booked', spent: 0, reserved: 8 };
    };
    const payers = ['budget', 'cap'].map((scope) => {
      return { account: { scope, per: 'ever' }, words: () => scope, credits: 24, action: 'wait' } as const;
    });
    const again = async (busyWith?: string): Promise<string | undefined> => {
      const books = { book, tell: done, accepted() {}, passed() {} };
      const reservation = new Reservation({ books, payers, purchase, tried: { attempt: 1 } });
      await expect(reservation.make(priced, 0, busyWith)).rejects.toThrow('cap');
      return reservation.busyWith;
    };
    await again(await again());
    expect(asked).toEqual(['budget', 'cap', 'cap']);
  });

  it('says that it waits for what a lost submit has bought', async () => {
    const failure = await failureOf(busy('doubt'));
    expect(failure?.nonRetryable).toBe(false);
    expect(failure?.message).toBe(
      'what is left of a limit is reserved for submits of which nobody can tell yet whether they have bought a task. Reserved are 16 for generation/lost (outcome unknown), 8 for generation/b. Settle the unknown one first (decide while it asks, else rerun it), or raise the limit',
    );
  });

  it('shows the cap that it waits for, and comes back for a refund', async () => {
    const failure = await failureOf(busy('task'), { waits: 500, action: 'wait' });
    expect(failure?.type).toBe(CAP_REACHED);
    expect(failure?.nextRetryDelay).toBeLessThanOrEqual(5_000);
  });
});
