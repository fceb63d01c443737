import { describe, expect, it } from 'vitest';
import { given } from '../../../src/api/json/given.ts';
import type {
  AccountName,
  Booking,
  BookingEnd,
  PartPurchases,
} from '../../../src/contract/entities/account.ts';
import { parseBudget } from '../../../src/policy/parse-policy.ts';
import { MOST_CREDITS } from '../../../src/policy/policy-schema.ts';
import type { PriceFacts } from '../../../src/policy/prices/price-table.ts';
import { AccountBook } from '../../../src/workflows/account/account-book.ts';
import { isBookings } from '../../../src/workflows/account/read-state.ts';

const NOON = Date.UTC(2026, 10, 24, 12);
const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const purchase = (name: string) => ({
  workflowId: `generation/${name}`,
  runId: `run-${name}`,
  activityId: '1',
  workspace: 'default',
});
const reserve = (name: string, price: number | null, limit: number | null = 24, attempt = 1): Booking => ({
  kind: 'reserve',
  purchase: purchase(name),
  attempt,
  model: 'image-l',
  tags: {},
  price,
  limit,
});
const accept = (name: string, credits: number, taskId = `task-of-${name}`): Booking => ({
  kind: 'accept',
  purchase: purchase(name),
  taskId,
  credits,
});
const settle = (name: string, credits: number, taskId = `task-of-${name}`): Booking => ({
  kind: 'settle',
  workflowId: `generation/${name}`,
  taskId,
  credits,
});
const release = (name: string, attempt = 1): Booking => ({
  kind: 'release',
  purchase: purchase(name),
  attempt,
});

class Stage {
  now = NOON;
  readonly #name: AccountName;
  book: AccountBook;

  constructor(per: AccountName['per'] = 'day') {
    this.#name = { scope: 'test', per };
    this.book = new AccountBook(this.#name, NOON);
  }

  do(...bookings: Booking[]): BookingEnd[] {
    return bookings.map((booking) => this.book.book(booking, this.now));
  }

  kinds(...bookings: Booking[]): string[] {
    return this.do(...bookings).map(({ kind }) => kind);
  }

  get sums(): { spent: number; reserved: number } {
    const { spent, reserved } = this.book.report(this.now);
    return { spent, reserved };
  }

  carry(): void {
    const state: unknown = JSON.parse(JSON.stringify(this.book.carryOver(this.#name)));
    this.book = new AccountBook(state as ReturnType<AccountBook['carryOver']>, this.now);
  }
}

describe('an account', () => {
  it('admits purchases while the limit holds them, and counts what they cost in the end', () => {
    const stage = new Stage();
    expect(stage.kinds(reserve('a', 8), reserve('b', 8), reserve('c', 8))).toEqual([
      'booked',
      'booked',
      'booked',
    ]);
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
    stage.do(accept('a', 8), settle('a', 8), accept('b', 8), settle('b', 0), accept('c', 8));
    expect(stage.sums).toEqual({ spent: 8, reserved: 8 });
    expect(stage.kinds(reserve('d', 8), accept('d', 8), reserve('e', 1))).toEqual([
      'booked',
      'booked',
      'refused',
    ]);
  });

  it('takes the limit of any budget that the checks take', () => {
    for (const credits of [Number.MIN_VALUE, MOST_CREDITS]) {
      expect(parseBudget({ credits }).errors).toEqual([]);
      expect(isBookings([reserve('a', 8, credits)])).toBe(true);
    }
  });

  it('holds what the latest run has said of its limit, also for what an earlier one has started', () => {
    const stage = new Stage('ever');
    const within = (name: string, limit: number | null, since?: number): Booking => ({
      ...reserve(name, 8, limit),
      ...given({ since }),
    });
    expect(stage.kinds(within('a', 8, 1), within('b', 8, 1))).toEqual(['booked', 'busy']);
    expect(stage.kinds(within('c', 16, 2))).toEqual(['booked']);
    stage.carry();
    expect(stage.do(within('b', 24, 3), within('d', 8, 1))).toMatchObject([
      { kind: 'booked' },
      { kind: 'busy', limit: 24 },
    ]);
    // What holds for one purchase alone, or only counts, changes nothing for others.
    expect(stage.kinds(within('e', 100), within('f', null, 4), within('d', 8, 1))).toEqual([
      'booked',
      'booked',
      'busy',
    ]);
    expect(stage.kinds({ kind: 'limit', limit: 48, since: 4 }, within('d', 8, 1))).toEqual([
      'booked',
      'booked',
    ]);
    // Lowered, it holds for those as well that were started under a higher one.
    expect(stage.do(within('g', 16, 5), within('h', 100, 3))).toMatchObject([
      { kind: 'busy' },
      { kind: 'busy', limit: 16 },
    ]);
  });

  it('knows the workflows that go on with its budget, to be there as long as they are', () => {
    const stage = new Stage('ever');
    const by = (name: string): Booking =>
      ({ ...reserve(name, 1), since: 1, by: `pipeline/${name}` }) as Booking;
    stage.do(by('a'), { kind: 'limit', limit: 24, since: 1, by: 'pipeline/b' }, by('a'), reserve('c', 1));
    stage.carry();
    expect(stage.book.heirs).toEqual(['pipeline/b', 'pipeline/a']);
  });

  it('books each thing once, whoever repeats it, also after it was continued as new', () => {
    const stage = new Stage();
    stage.do(reserve('a', 8), reserve('a', 8), accept('a', 8), accept('a', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.carry();
    stage.do(settle('a', 8), settle('a', 8));
    stage.carry();
    stage.do(settle('a', 8), accept('a', 8));
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
  });

  it('counts each of two tasks whose ids end alike, as some APIs name them', () => {
    const stage = new Stage();
    const machine = '11ee-9b3a-0242ac120002';
    for (const name of ['a', 'b'])
      stage.do(
        reserve(name, 8),
        accept(name, 8, `${name}-${machine}`),
        settle(name, 8, `${name}-${machine}`),
      );
    expect(stage.sums).toEqual({ spent: 16, reserved: 0 });
  });

  it('tells who holds what is reserved: what is of unknown outcome first, then the largest', () => {
    const stage = new Stage();
    stage.do(
      reserve('small', 1),
      reserve('lost', 2),
      reserve('large', 6),
      reserve('task', 4),
      accept('task', 4),
    );
    stage.do({ kind: 'doubt', purchase: purchase('lost') });
    const holders = [
      { workflowId: 'generation/lost', credits: 2, isUnknown: true },
      { workflowId: 'generation/large', credits: 6, isUnknown: false },
      { workflowId: 'generation/task', credits: 4, isUnknown: false },
    ];
    expect(stage.do(reserve('next', 12))).toMatchObject([{ kind: 'busy', holders }]);
    expect(stage.do(reserve('next', 30))).toMatchObject([{ kind: 'refused', holders }]);
    expect(stage.book.report(stage.now).holders).toEqual(holders);
    // Nobody has told the end of it, and nobody can tell it soon.
    stage.now += 2 * MINUTE;
    expect(stage.book.report(stage.now).holders).toMatchObject([
      { workflowId: 'generation/large', isUnknown: true },
      { workflowId: 'generation/lost', isUnknown: true },
      { workflowId: 'generation/small', isUnknown: true },
    ]);
    stage.now += DAY;
    expect(stage.book.report(stage.now).holders).toEqual([]);
  });

  it('keeps what is unknown reserved, and settles it with the task that turns out to be its own', () => {
    const stage = new Stage();
    stage.do(reserve('lost', 8));
    stage.now += 6 * 60 * MINUTE;
    expect(stage.kinds(reserve('other', 17))).toEqual(['refused']);
    stage.do(settle('lost', 8, 'found-task'));
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
  });

  it('settles a task with the purchase that has bought it, whatever workflow has looked at it', () => {
    const stage = new Stage();
    stage.do(reserve('a', 8), accept('a', 8), reserve('lost', 8), settle('lost', 8, 'task-of-a'));
    expect(stage.sums).toEqual({ spent: 8, reserved: 8 });
    stage.do(settle('lost', 8, 'found-task'));
    expect(stage.sums).toEqual({ spent: 16, reserved: 0 });
  });

  it('takes a task that is known late for the submit that was lost, and looks after it', () => {
    const stage = new Stage();
    stage.do(reserve('lost', null), { kind: 'doubt', purchase: purchase('lost') });
    const found = { workflowId: 'generation/lost', taskId: 'found-late', credits: 8 };
    stage.do({ kind: 'found', ...found }, { kind: 'found', ...found });
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.now += 10 * MINUTE;
    expect(stage.book.toLookAt(stage.now)).toMatchObject([{ taskId: 'found-late' }]);
    stage.do({ kind: 'settle', ...found });
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
  });

  it.each(['settle', 'found'] as const)(
    'keeps a lost submit reserved where a task was taken for its own (%s) that the next one has bought',
    (kind) => {
      const stage = new Stage();
      const next = { ...purchase('lost'), activityId: '2' };
      stage.do(reserve('lost', 8), { kind: 'doubt', purchase: purchase('lost') });
      stage.do({ ...reserve('lost', 8), purchase: next } as Booking);
      stage.do({ kind, workflowId: 'generation/lost', taskId: 'task-of-next', credits: 8 });
      stage.carry();
      stage.do({ ...accept('lost', 8, 'task-of-next'), purchase: next } as Booking);
      stage.do(settle('lost', 8, 'task-of-next'));
      expect(stage.sums).toEqual({ spent: 8, reserved: 8 });
      stage.now += 10 * MINUTE;
      expect(stage.book.toLookAt(stage.now)).toMatchObject([{ activityId: '1', taskId: null }]);
    },
  );

  it('counts a task in the period of the purchase that has bought it, whichever it was taken for before', () => {
    const stage = new Stage();
    const next = { ...purchase('lost'), activityId: '2' };
    stage.do(reserve('lost', 8), { kind: 'doubt', purchase: purchase('lost') });
    stage.now += DAY;
    stage.do({ ...reserve('lost', 8), purchase: next } as Booking);
    // Its end is told before the answer to its submit: it may be what was lost the day before.
    stage.do(settle('lost', 6, 'task-of-next'));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.carry();
    const accepted = { ...accept('lost', 8, 'task-of-next'), purchase: next } as Booking;
    stage.do(accepted, accepted);
    expect(stage.sums).toEqual({ spent: 6, reserved: 0 });
  });

  it('does not take a look at a task that it has guessed for a proof of whose it is', () => {
    const stage = new Stage();
    const next = { ...purchase('lost'), activityId: '2' };
    stage.do(reserve('lost', 8), { ...reserve('lost', 8), purchase: next } as Booking);
    stage.do({ kind: 'found', workflowId: 'generation/lost', taskId: 'task-of-next', credits: 8 });
    stage.now += 10 * MINUTE;
    const [, guessed] = stage.book.toLookAt(stage.now);
    expect(guessed).toMatchObject({ activityId: '1', taskId: 'task-of-next' });
    if (guessed !== undefined) stage.book.found(guessed, { kind: 'open', credits: 8 }, stage.now);
    stage.do({ ...accept('lost', 8, 'task-of-next'), purchase: next } as Booking);
    stage.do(settle('lost', 8, 'task-of-next'));
    stage.now += 60 * MINUTE;
    expect(stage.book.toLookAt(stage.now)).toMatchObject([{ activityId: '1', taskId: null, credits: 8 }]);
  });

  it('takes a task for the one of several lost submits that has reserved most like its price', () => {
    const stage = new Stage();
    stage.do(reserve('lost', 14), {
      ...reserve('lost', 4),
      purchase: { ...purchase('lost'), activityId: '2' },
    } as Booking);
    stage.do({ kind: 'found', workflowId: 'generation/lost', taskId: 'found', credits: 4 });
    expect(stage.sums.reserved).toBe(18);
    stage.do({ kind: 'settle', workflowId: 'generation/lost', taskId: 'found', credits: 4 });
    expect(stage.sums).toEqual({ spent: 4, reserved: 14 });
  });

  it('reserves all that is left for a price that nobody knows: it runs alone until the price is known', () => {
    const stage = new Stage();
    stage.do(reserve('known', 8));
    expect(stage.kinds(reserve('unknown', null))).toEqual(['booked']);
    expect(stage.sums.reserved).toBe(24);
    expect(stage.kinds(reserve('next', 8))).toEqual(['busy']);
    stage.do(accept('unknown', 4));
    expect(stage.kinds(reserve('next', 8), reserve('another', null), reserve('last', null))).toEqual([
      'booked',
      'booked',
      'busy',
    ]);
  });

  it('takes what a process knows of a price for a limit, not for what such a purchase has cost', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const asked = (name: string, price: number | null): Booking =>
      ({ ...reserve(name, price, 30), facts }) as Booking;
    expect(stage.kinds(asked('first', null), asked('second', 8))).toEqual(['booked', 'booked']);
    expect(stage.sums.reserved).toBe(16);
    stage.do(asked('third', null));
    expect(stage.sums.reserved).toBe(30);
  });

  it('knows what such purchases have cost, whoever has made them', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const asked = (name: string): Booking => ({ ...reserve(name, null), facts }) as Booking;
    stage.do(asked('first'));
    expect(stage.sums.reserved).toBe(24);
    stage.do({ ...accept('first', 8), facts } as Booking);
    stage.carry();
    expect(stage.kinds(asked('second'), asked('third'))).toEqual(['booked', 'booked']);
    expect(stage.sums.reserved).toBe(24);
  });

  describe('what such purchases cost', () => {
    const such: PriceFacts = { kind: 'such', volume: 1 };
    const of = (booking: Booking, seconds?: number | null): Booking => {
      const facts = seconds === undefined ? such : { ...such, seconds: [seconds] };
      return { ...booking, facts } as Booking;
    };
    const asks = (name: string, limit = 100): Booking => reserve(name, null, limit);

    it('is learned from the end of a task, too, whose price has become another one', () => {
      const stage = new Stage();
      stage.do(of(asks('a')), of(accept('a', 8)), of(settle('a', 40)), of(asks('b')));
      expect(stage.sums).toEqual({ spent: 40, reserved: 40 });
    });

    it('is learned from the task of a lost submit, whoever has looked at it', () => {
      const stage = new Stage();
      stage.do(reserve('a', 24, 100), of(settle('a', 40)), of(asks('b')));
      expect(stage.sums).toEqual({ spent: 40, reserved: 40 });
    });

    it('is learned once of each task, however often it is told of', () => {
      const stage = new Stage();
      stage.do(of(asks('a'), null));
      for (let time = 0; time < 30; time += 1) stage.do(of(accept('a', 8), null));
      stage.do(of(settle('a', 8), null), of(asks('b'), null));
      // Of one it is not known that it does not hang on the source.
      expect(stage.sums).toEqual({ spent: 8, reserved: 92 });
    });

    it('has to be free for a source of unknown length as far as any has cost, and it runs alone', () => {
      const stage = new Stage();
      stage.do(of(asks('a'), 4), of(accept('a', 40), 4));
      const [b, c, d] = [of(asks('b', 79), null), of(asks('c', 200), null), of(asks('d', 200), null)];
      expect(stage.kinds(b, c, d)).toEqual(['refused', 'booked', 'busy']);
      stage.do(accept('c', 90));
      expect(stage.kinds(d, of(asks('d', 230), null))).toEqual(['refused', 'booked']);
      expect(stage.sums).toEqual({ spent: 0, reserved: 230 });
    });

    it('is more for a longer source than for those that were seen: that has to be free', () => {
      const stage = new Stage();
      stage.do(of(asks('a'), 4), of(accept('a', 40), 4));
      expect(stage.kinds(of(asks('b', 439), 40), of(asks('b', 440), 40))).toEqual(['refused', 'booked']);
    });
  });

  it('knows it, too, where only the end of a task tells it', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const asked = (name: string): Booking => ({ ...reserve(name, null), facts }) as Booking;
    stage.do(asked('first'), { ...accept('first', 0), facts } as Booking);
    expect(stage.kinds(asked('second'))).toEqual(['busy']);
    stage.do(settle('first', 8));
    expect(stage.kinds(asked('second'), asked('third'))).toEqual(['booked', 'booked']);
    expect(stage.sums).toEqual({ spent: 8, reserved: 16 });
  });

  it('reserves the higher price where a process has seen another one than it', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const asked = (name: string, price: number): Booking =>
      ({ ...reserve(name, price, 100), facts }) as Booking;
    stage.do(asked('dearer now', 8), { ...accept('dearer now', 24), facts } as Booking);
    stage.do(asked('by another worker', 8));
    expect(stage.sums.reserved).toBe(48);
    stage.do(asked('by one that has seen more', 30));
    expect(stage.sums.reserved).toBe(78);
  });

  it('takes the price that a process has seen, where it has seen more of such purchases alone', () => {
    const stage = new Stage();
    const of = (volume: number, booking: Booking) =>
      ({ ...booking, facts: { kind: 'such', volume } }) as Booking;
    for (const [name, volume] of [
      ['a', 2],
      ['b', 4],
    ] as const)
      stage.do(of(volume, reserve(name, 8, 100)), of(volume, accept(name, 8)));
    stage.do(of(1, reserve('c', 2, 100)));
    expect(stage.sums).toEqual({ spent: 0, reserved: 18 });
  });

  it('refuses nothing for a price that only larger purchases have had, and reserves what is left for it', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const guessed = (name: string): Booking => ({ ...reserve(name, 16, 12), expected: 8, facts }) as Booking;
    expect(stage.kinds(guessed('first'))).toEqual(['booked']);
    expect(stage.sums.reserved).toBe(12);
    stage.do({ ...accept('first', 8), facts } as Booking);
    expect(stage.sums.reserved).toBe(8);
    // What is known now leaves no room.
    expect(stage.kinds({ ...guessed('second'), mayComeBack: true } as Booking, guessed('third'))).toEqual([
      'busy',
      'refused',
    ]);
  });

  it.each([
    ['nobody knows', { price: null }],
    ['only larger purchases have had', { price: 20, expected: 8 }],
  ])('admits nothing beside a submit under way whose price %s, whatever comes back meanwhile', (_, cost) => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const tried = (name: string): Booking => ({ ...reserve(name, null, 100), ...cost, facts }) as Booking;
    stage.do(reserve('a', 82, 100), accept('a', 82), reserve('b', 8, 100), accept('b', 8));
    expect(stage.kinds(tried('first'), settle('b', 0))).toEqual(['booked', 'booked']);
    const [second, known] = stage.do(tried('second'), reserve('known', 8, 100));
    expect([second, known]).toMatchObject([
      { kind: 'busy', from: 'submit' },
      { kind: 'busy', from: 'submit' },
    ]);
    stage.carry();
    expect(stage.kinds(tried('second'))).toEqual(['busy']);
    stage.do({ ...accept('first', 20), facts } as Booking);
    expect(stage.kinds(tried('second'), reserve('known', 8, 100))).toEqual(['refused', 'refused']);
  });

  it.each([true, undefined])(
    'admits nothing beside a task that tells its price only at its end, whatever comes back (waits for refunds: %s)',
    (mayComeBack) => {
      const stage = new Stage();
      const asked = (name: string, price: number | null): Booking =>
        ({ ...reserve(name, price, 100), mayComeBack }) as Booking;
      stage.do(reserve('a', 82, 100), accept('a', 82), reserve('b', 8, 100), accept('b', 8));
      stage.do(asked('first', null), accept('first', 0), settle('b', 0));
      for (const next of [asked('second', null), asked('known', 8)])
        expect(stage.do(next)).toMatchObject([{ kind: 'busy', from: 'task' }]);
      stage.carry();
      expect(stage.kinds(asked('second', null))).toEqual(['busy']);
      stage.do(settle('first', 12));
      expect(stage.kinds(asked('known', 6))).toEqual(['booked']);
      expect(stage.sums).toEqual({ spent: 12, reserved: 88 });
    },
  );

  it('admits nothing beside a later try of such a submit either, whose worker was lost before the POST', () => {
    const stage = new Stage();
    stage.do(reserve('a', 92, 100), accept('a', 92), reserve('first', null, 100, 1));
    stage.now += 3 * MINUTE;
    expect(stage.kinds(reserve('first', null, 100, 2), settle('a', 0), reserve('second', null, 100))).toEqual(
      ['booked', 'booked', 'busy'],
    );
    stage.do({ kind: 'doubt', purchase: purchase('first') });
    expect(stage.kinds(reserve('second', null, 100))).toEqual(['busy']);
    stage.now += 2 * MINUTE;
    expect(stage.kinds(reserve('second', null, 100))).toEqual(['booked']);
  });

  it.each([true, undefined])(
    'admits nothing beside one that was lost, until its price is told or nobody may ever tell it (waits for refunds: %s)',
    (mayComeBack) => {
      const next = { ...reserve('b', 8), mayComeBack } as Booking;
      const lost = (): Stage => {
        const stage = new Stage();
        stage.do(reserve('a', 8), reserve('lost', null), { kind: 'doubt', purchase: purchase('lost') });
        stage.do(release('a'));
        expect(stage.do(next)).toMatchObject([{ kind: 'busy', from: 'doubt' }]);
        return stage;
      };
      const found = lost();
      found.do({ kind: 'found', workflowId: 'generation/lost', taskId: 'found', credits: 20 });
      expect(found.kinds(next)).toEqual([mayComeBack ? 'busy' : 'refused']);
      expect(found.sums).toEqual({ spent: 0, reserved: 20 });
      const never = lost();
      never.now += 2 * MINUTE;
      expect(never.kinds(next)).toEqual(['booked']);
    },
  );

  it('waits a day for the price of a task, and no longer', () => {
    const stage = new Stage('ever');
    stage.do(reserve('a', 8), reserve('hangs', null), accept('hangs', 0), release('a'));
    stage.now += 23 * 60 * MINUTE;
    expect(stage.kinds(reserve('b', 8))).toEqual(['busy']);
    stage.now += 2 * 60 * MINUTE;
    expect(stage.kinds(reserve('b', 8))).toEqual(['booked']);
  });

  it('reserves no more than the bound of a price where that fits, so that others run beside it', () => {
    const stage = new Stage();
    const guessed = (name: string): Booking => ({ ...reserve(name, 12), expected: 4 }) as Booking;
    expect(stage.kinds(guessed('a'), guessed('b'), guessed('c'))).toEqual(['booked', 'booked', 'busy']);
    expect(stage.sums.reserved).toBe(24);
  });

  it('does not let a release of an earlier try undo what a later one has reserved', () => {
    const stage = new Stage();
    stage.do(reserve('a', 8, 24, 1), reserve('a', 8, 24, 2), release('a', 1));
    expect(stage.sums.reserved).toBe(8);
    stage.do(release('a', 2));
    expect(stage.sums.reserved).toBe(0);
  });

  it('refuses at once what only tasks stand against that were bought, but for who waits for their refunds', () => {
    const stage = new Stage();
    stage.do(reserve('a', 24), accept('a', 24));
    expect(stage.kinds(reserve('b', 8), { ...reserve('b', 8), mayComeBack: true } as Booking)).toEqual([
      'refused',
      'busy',
    ]);
    stage.do(settle('a', 0));
    expect(stage.kinds(reserve('b', 8))).toEqual(['booked']);
  });

  it('waits a day for a task that may be refunded, and no longer: it may never end', () => {
    const stage = new Stage('ever');
    const patient = { ...reserve('b', 8), mayComeBack: true } as Booking;
    stage.do(reserve('a', 24), accept('a', 24));
    const kindsAfter = (hours: number): string[] => {
      stage.now = NOON + hours * 60 * MINUTE;
      const purchases = [{ facts: { kind: 'pictures', volume: 1 }, times: 1, credits: 8 }];
      return stage.kinds(patient, {
        kind: 'hold',
        workflowId: 'batch/b/row',
        limit: 24,
        since: 1,
        purchases,
      });
    };
    expect(kindsAfter(23)).toEqual(['busy', 'busy']);
    expect(kindsAfter(25)).toEqual(['refused', 'refused']);
  });

  it('waits for submits under way, but not for one that nobody may ever answer', () => {
    const stage = new Stage();
    stage.do(reserve('a', 24));
    expect(stage.kinds(reserve('b', 8))).toEqual(['busy']);
    stage.now += 3 * MINUTE;
    expect(stage.kinds(reserve('b', 8))).toEqual(['refused']);
  });

  it('says by which price it has refused a purchase, whatever who asks knows of it', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1 };
    const asked = (name: string): Booking => ({ ...reserve(name, null), facts }) as Booking;
    stage.do(asked('a'), { ...accept('a', 14), facts } as Booking, settle('a', 14));
    expect(stage.do(asked('b'))).toMatchObject([{ kind: 'refused', spent: 14, price: 14 }]);
    stage.do(reserve('of another kind', 10), accept('of another kind', 10));
    expect(stage.do(reserve('unknown', null))).toMatchObject([{ kind: 'refused', price: null }]);
  });

  it('waits two minutes for a sign of what a lost submit has bought, with who waits for refunds', () => {
    const stage = new Stage();
    const patient = { ...reserve('b', 8), mayComeBack: true } as Booking;
    stage.do(reserve('a', 24), { kind: 'doubt', purchase: purchase('a') });
    expect(stage.do(reserve('b', 8), patient)).toMatchObject([
      { kind: 'refused' },
      { kind: 'busy', from: 'doubt' },
    ]);
    stage.carry();
    stage.now += 2 * MINUTE - 1;
    expect(stage.kinds(patient)).toEqual(['busy']);
    stage.now += 1;
    expect(stage.kinds(patient)).toEqual(['refused']);
    expect(stage.sums.reserved).toBe(24);
  });

  it('frees what a lost submit has reserved beyond the price that its task turns out to have', () => {
    const stage = new Stage();
    const patient = { ...reserve('b', 8), mayComeBack: true } as Booking;
    stage.do(reserve('a', null), { kind: 'doubt', purchase: purchase('a') });
    expect(stage.kinds(patient)).toEqual(['busy']);
    stage.do({ kind: 'found', workflowId: 'generation/a', taskId: 'found-late', credits: 8 });
    expect(stage.kinds(patient)).toEqual(['booked']);
  });

  describe('of a run that submits again', () => {
    const again = { ...reserve('a', 8), purchase: { ...purchase('a'), activityId: '9' } } as Booking;
    const anew = { ...reserve('a', 8), purchase: { ...purchase('a'), runId: 'started anew' } } as Booking;

    it.each<[string, Booking[], minutes: number]>([
      ['has ended in doubt', [{ kind: 'doubt', purchase: purchase('a') }], 2],
      ['nobody has told the end of', [], 4],
    ])('waits for its own submit before that %s: it may be this very purchase', (_, told, minutes) => {
      const stage = new Stage();
      // However little that has reserved.
      stage.do(reserve('other', 22), accept('other', 22), settle('other', 22), reserve('a', 2), ...told);
      expect(stage.do(again)).toMatchObject([{ kind: 'busy', from: 'doubt' }]);
      stage.now += minutes * MINUTE - 1;
      expect(stage.kinds(again)).toEqual(['busy']);
      stage.now += 1;
      expect(stage.kinds(again)).toEqual(['refused']);
    });

    it('takes what that has reserved for its price, where its worker knows none', () => {
      const stage = new Stage();
      const facts = { kind: 'pictures', volume: 1 };
      const asked = (booking: Booking, price: number | null): Booking =>
        ({ ...booking, price, limit: 12, facts }) as Booking;
      stage.do(asked(reserve('a', null), null), { kind: 'doubt', purchase: purchase('a') });
      // The worker that knows it has what is reserved shrink.
      expect(stage.kinds(asked(again, 8), asked(again, null))).toEqual(['busy', 'busy']);
      expect(stage.sums.reserved).toBe(8);
    });

    it('tells it what that has bought: its answer may have come to nobody', () => {
      const stage = new Stage();
      stage.do(reserve('a', 24));
      expect(stage.do(again, anew)).toMatchObject([
        { kind: 'busy', from: 'doubt' },
        { kind: 'busy', from: 'submit' },
      ]);
      stage.do(accept('a', 24));
      const [own, other] = stage.do(again, { ...anew, mayComeBack: true } as Booking);
      expect(own).toMatchObject({ kind: 'busy', from: 'task', bought: ['task-of-a'] });
      expect(other).not.toHaveProperty('bought');
    });
  });

  it('begins a period with nothing spent; what was reserved before counts in its own period', () => {
    const stage = new Stage();
    stage.do(reserve('a', 8), accept('a', 8), settle('a', 8), reserve('b', 8), accept('b', 8));
    const [refused] = stage.do(reserve('c', 9));
    expect(refused).toEqual({
      kind: 'refused',
      holders: [{ workflowId: 'generation/b', credits: 8, isUnknown: false }],
      spent: 8,
      reserved: 8,
      price: 9,
      until: Date.UTC(2026, 10, 25),
    });
    stage.now += DAY;
    expect(stage.sums).toEqual({ spent: 0, reserved: 0 });
    expect(stage.kinds(reserve('c', 24))).toEqual(['booked']);
    stage.do(settle('b', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
  });

  it('counts a submit that is under way when a period ends in the next one: there it may be charged', () => {
    const stage = new Stage();
    stage.now += DAY / 2 - 10 * MINUTE;
    stage.do(reserve('lost', 8));
    stage.now += 10 * MINUTE - 1;
    stage.do(reserve('told', 8), accept('told', 8), reserve('late', 8));
    stage.now += 2;
    stage.do(accept('late', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.do(settle('told', 8), settle('late', 8));
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
    expect(stage.kinds(reserve('a', 16), reserve('b', 8))).toEqual(['booked', 'busy']);
  });

  it('counts a submit in each period that begins while it may be charged, and in none after that', () => {
    const stage = new Stage('minute');
    stage.do(reserve('a', 8));
    const reserved = [1, 4, 5, 6].map((minutes) => {
      stage.now = NOON + minutes * MINUTE - 1;
      stage.do(reserve(`none ${minutes}`, 99));
      return stage.sums.reserved;
    });
    expect(reserved).toEqual([8, 8, 8, 0]);
  });

  it('counts what was under way at the end of a period in the next one alone, whenever it is asked', () => {
    const stage = new Stage();
    stage.now += DAY / 2 - 1;
    stage.do(reserve('a', 8));
    stage.now += DAY + 1;
    stage.carry();
    stage.do(reserve('b', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
  });

  it('forgets what was lost in an earlier period after a week: it limits nothing, and nobody tells of it', () => {
    const stage = new Stage();
    stage.do(reserve('lost', 8));
    const isQuietAfter = (days: number): boolean => {
      stage.now = NOON + days * DAY;
      return stage.book.isQuiet(stage.now);
    };
    expect([isQuietAfter(1), isQuietAfter(6.9), isQuietAfter(7.1)]).toEqual([false, false, true]);
    stage.do(reserve('next', 8));
    expect(stage.book.report(stage.now).purchases).toBe(1);
  });

  it('counts what nobody has told the end of within a week as spent, and looks after it no more', () => {
    const stage = new Stage('ever');
    stage.do(reserve('lost', 8), reserve('hangs', 4), accept('hangs', 4));
    stage.now += 6.9 * DAY;
    stage.do(reserve('next', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 20 });
    stage.now += 0.2 * DAY;
    stage.do(accept('next', 8), settle('next', 8), settle('hangs', 0), settle('lost', 8));
    stage.carry();
    expect(stage.book.report(stage.now)).toEqual({
      period: 'ever',
      spent: 20,
      reserved: 0,
      purchases: 0,
      holders: [],
    });
  });

  it('has room again a week after it was full of what nobody tells the end of', () => {
    const stage = new Stage('ever');
    const filler = 'x'.repeat(900);
    for (let n = 0; n < 600; n += 1) stage.do(reserve(`${filler}${n}`, 1, null));
    const next = reserve(`${filler}next`, 8, 10_000);
    expect(stage.kinds(next)).toEqual(['busy']);
    stage.now += 7.1 * DAY;
    expect(stage.kinds(next)).toEqual(['booked']);
  });

  it('stays in a period that has begun where the clock goes back', () => {
    const stage = new Stage();
    stage.now += DAY / 2;
    stage.do(reserve('a', 8), accept('a', 8), settle('a', 8));
    stage.now -= 1;
    expect(stage.do(reserve('b', 8))).toMatchObject([{ kind: 'booked', spent: 8, reserved: 8 }]);
    stage.now += 1;
    expect(stage.sums).toEqual({ spent: 8, reserved: 8 });
  });

  it('looks after what nobody has told the end of, sooner where somebody is refused for it', () => {
    const stage = new Stage();
    stage.do(reserve('a', 24));
    expect(stage.book.toLookAt(stage.now + MINUTE)).toEqual([]);
    stage.now += MINUTE;
    stage.do(reserve('b', 8));
    const looked = stage.book.toLookAt(stage.now);
    expect(looked.map(({ workflowId }) => workflowId)).toEqual(['generation/a']);
    for (const one of looked)
      stage.book.found(one, { kind: 'settled', taskId: 'found', credits: 8 }, stage.now);
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
    expect(stage.kinds(reserve('b', 16))).toEqual(['booked']);
  });

  it.each([
    ['a submit that nobody has told the end of', []],
    ['a task that may be refunded', [accept('a', 24)]],
  ])('looks every five seconds at %s, as long as somebody waits for it', (_, bookings) => {
    const stage = new Stage();
    stage.do(reserve('a', 24), ...bookings);
    const looks: number[] = [];
    for (let seconds = 1; seconds <= 300; seconds += 1) {
      stage.now = NOON + 1_000 * seconds;
      if (seconds <= 60) stage.do({ ...reserve('b', 8), mayComeBack: true } as Booking);
      if (stage.book.toLookAt(stage.now).length > 0) looks.push(seconds);
    }
    expect(looks.slice(0, 12)).toEqual(Array.from({ length: 12 }, (_, index) => 5 * (index + 1)));
    expect(looks.length).toBeLessThan(15);
  });

  it('tells those who wait how many they are', () => {
    const stage = new Stage();
    stage.do(reserve('a', 24));
    const asked = ['b', 'c', 'b', 'd'].map((name) => reserve(name, 8));
    expect(stage.do(...asked).map((end) => end.kind === 'busy' && end.waiting)).toEqual([1, 2, 2, 3]);
    stage.do(release('a'));
    expect(stage.do(reserve('b', 20), reserve('c', 8))).toMatchObject([
      { kind: 'booked' },
      { kind: 'busy', waiting: 2 },
    ]);
  });

  describe('with many that wait', () => {
    const waitingWith = (stage: Stage, name: string): number => {
      const [end] = stage.do({ ...reserve(name, 8), mayComeBack: true } as Booking);
      return end?.kind === 'busy' ? (end.waiting ?? 0) : 0;
    };
    const crowded = (size: number): Stage => {
      const stage = new Stage();
      stage.do(reserve('a', 24), accept('a', 24));
      for (let n = 1; n <= size; n += 1) expect(waitingWith(stage, `${n}`)).toBe(n);
      return stage;
    };

    it('forgets those who have gone: who is left asks every five seconds again', () => {
      const stage = crowded(800);
      let waiting = 800;
      while (stage.now < NOON + 2 * MINUTE) {
        stage.now += Math.max(5_000, 50 * waiting);
        waiting = waitingWith(stage, '1');
      }
      expect(waiting).toBe(1);
    });

    it('knows of those who wait after it was continued as new', () => {
      const stage = crowded(800);
      stage.carry();
      expect([waitingWith(stage, '1'), waitingWith(stage, 'new')]).toEqual([800, 801]);
    });
  });

  it('keeps what is reserved for a task whose record does not tell a price yet', () => {
    const stage = new Stage();
    stage.do(reserve('a', null), accept('a', 0));
    stage.now += 10 * MINUTE;
    for (const one of stage.book.toLookAt(stage.now))
      stage.book.found(one, { kind: 'open', credits: 0 }, stage.now);
    expect(stage.sums.reserved).toBe(24);
  });

  it('takes a task that the API does not know for spent after two minutes: it may tell of it late', () => {
    const stage = new Stage();
    const isGone = (): void => {
      stage.now += 5_000;
      stage.do(reserve('b', 17));
      for (const one of stage.book.toLookAt(stage.now))
        stage.book.found(one, { kind: 'settled', credits: null }, stage.now);
    };
    stage.do(reserve('a', 8), accept('a', 8));
    isGone();
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.do(settle('a', 0));
    expect(stage.sums).toEqual({ spent: 0, reserved: 0 });
    stage.do(reserve('c', 8), accept('c', 8));
    isGone();
    stage.now += 2 * MINUTE;
    isGone();
    expect(stage.sums).toEqual({ spent: 8, reserved: 0 });
  });

  const found = { workflowId: 'generation/a', taskId: 'task-of-a', credits: 8 };
  it.each<[string, Booking[]]>([
    ['its submit is answered', [accept('a', 8)]],
    [
      'it is found',
      [
        { kind: 'doubt', purchase: purchase('a') },
        { kind: 'found', ...found },
      ],
    ],
    ['a history tells of it', []],
  ])('counts these two minutes from when the task is known, however late %s', (_, told) => {
    const stage = new Stage();
    stage.do(reserve('a', 8));
    const isGone = (after: number): void => {
      stage.now += after;
      stage.do(reserve('b', 17));
      for (const one of stage.book.toLookAt(stage.now))
        stage.book.found(one, { kind: 'settled', taskId: 'task-of-a', credits: null }, stage.now);
    };
    stage.now += 10 * MINUTE;
    stage.do(...told);
    isGone(5_000);
    isGone(MINUTE);
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    stage.do(settle('a', 0));
    expect(stage.sums).toEqual({ spent: 0, reserved: 0 });
  });

  it('reserves no more than the price for a lost submit once somebody knows what such purchases cost', () => {
    const known = { kind: 'pictures', volume: 2 };
    const ways: Booking[][] = [
      [{ ...reserve('next', 8), facts: known } as Booking],
      [{ ...accept('before', 8), facts: known } as Booking, reserve('next', 8)],
    ];
    for (const way of ways) {
      const stage = new Stage();
      stage.do(reserve('before', 8), { ...reserve('lost', null), facts: known } as Booking);
      stage.do({ kind: 'doubt', purchase: purchase('lost') });
      stage.carry();
      expect(stage.kinds(reserve('next', 8))).toEqual(['busy']);
      expect(stage.kinds(...way).at(-1)).toBe('booked');
      expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
    }
  });

  it('takes no answer of a look that was overtaken by a booking', () => {
    const stage = new Stage();
    stage.do(reserve('a', 8));
    stage.now += 10 * MINUTE;
    const [looked] = stage.book.toLookAt(stage.now);
    stage.do(reserve('a', 8, 24, 2));
    if (looked !== undefined) stage.book.found(looked, { kind: 'unbought' }, stage.now);
    expect(stage.sums.reserved).toBe(8);
  });

  it('keeps within its bytes: what it has no room for waits', () => {
    const stage = new Stage();
    const long = 'x'.repeat(900);
    const kinds = new Set<string>();
    for (let n = 0; n < 1_500; n += 1) kinds.add(stage.kinds(reserve(`${long}-${n}`, 1, null))[0] ?? '');
    expect(kinds).toEqual(new Set(['booked', 'busy']));
    expect(JSON.stringify(stage.book.carryOver({ scope: 'test', per: 'day' })).length).toBeLessThan(
      1_200_000,
    );
  });

  it('keeps a next period shut for a lost submit of unknown price only while that may be charged in it', () => {
    const stage = new Stage();
    stage.now = Date.UTC(2026, 0, 5, 23, 58);
    stage.book = new AccountBook({ scope: 'test', per: 'day' }, stage.now);
    stage.do(reserve('lost', null));
    stage.now += 3 * MINUTE;
    expect(stage.kinds(reserve('b', 8))).toEqual(['busy']);
    stage.now += MINUTE;
    expect(stage.kinds(reserve('b', 8))).toEqual(['booked']);
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
  });

  it('keeps a lost submit of unknown price in the period in which it was reserved, also just after that has begun', () => {
    const stage = new Stage();
    stage.now = NOON + DAY / 2 + MINUTE / 2;
    stage.do(reserve('lost', null));
    stage.now += MINUTE / 6;
    stage.do({ kind: 'doubt', purchase: purchase('lost') });
    stage.now += 2 * MINUTE;
    expect(stage.kinds(reserve('next', 8))).toEqual(['refused']);
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
  });

  it('counts a submit in the next period that takes until then to be answered', () => {
    const stage = new Stage();
    stage.now = NOON + DAY / 2 - 10 * MINUTE;
    stage.do({ ...reserve('slow', 8), answeredWithin: 20 * MINUTE } as Booking);
    stage.now += 14 * MINUTE;
    stage.do(accept('slow', 8));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
  });

  it('learns no lower price from what a refund has left', () => {
    const stage = new Stage();
    const facts = { kind: 'pictures', volume: 1, isByVolume: true } as const;
    stage.do({ ...reserve('a', 8), facts } as Booking, { ...accept('a', 8), facts } as Booking);
    stage.do({ ...settle('a', 3), facts } as Booking);
    expect(stage.kinds({ ...reserve('b', null), facts: { ...facts, volume: 3 } } as Booking)).toEqual([
      'refused',
    ]);
  });

  it('counts a further try in the period in which it is made', () => {
    const stage = new Stage();
    stage.now = Date.UTC(2026, 0, 5, 23, 50);
    stage.book = new AccountBook({ scope: 'test', per: 'day' }, stage.now);
    stage.do(reserve('a', 20));
    stage.now += 15 * MINUTE;
    expect(stage.kinds(reserve('b', 20), reserve('a', 20, 24, 2))).toEqual(['booked', 'busy']);
    stage.do(release('b'));
    expect(stage.kinds(reserve('a', 20, 24, 2))).toEqual(['booked']);
    expect(stage.sums).toEqual({ spent: 0, reserved: 20 });
  });

  it('learns a price by what was known when it was reserved', () => {
    const known = { kind: 'up', volume: 1, seconds: [12] };
    const asked = (name: string): Booking => ({ ...reserve(name, null), facts: known }) as Booking;
    const stage = new Stage();
    stage.do(asked('a'), accept('a', 0), {
      ...settle('a', 8),
      facts: { ...known, seconds: [null] },
    } as Booking);
    expect(stage.do(asked('b'))).toMatchObject([{ kind: 'booked', reserved: 8 }]);
  });
});

describe('what an account holds for parts that make many purchases', () => {
  const PICTURE = { kind: 'pictures', volume: 1 };
  const FILM = { kind: 'films', volume: 5 };
  const buys = (...facts: PriceFacts[]): PartPurchases[] =>
    facts.map((one) => ({ facts: one, times: 1, credits: null }));
  const hold = (
    part: string,
    purchases = buys(PICTURE),
    more: { limit?: number; most?: number; later?: PartPurchases[]; laterSteps?: string[] } = {},
  ): Booking => ({
    kind: 'hold',
    workflowId: `batch/${part}`,
    limit: 24,
    since: 1,
    purchases,
    ...more,
  });
  const end = (part: string): Booking => ({ kind: 'end', workflowId: `batch/${part}` });
  const step = (part: string, name: string, price: number | null, limit = 24): Booking => ({
    kind: 'reserve',
    purchase: { ...purchase(name), workflowId: `batch/${part}/${name}` },
    attempt: 1,
    model: 'image-l',
    tags: {},
    price,
    limit,
    mayComeBack: true,
  });
  const bought = (part: string, name: string, credits: number, facts?: PriceFacts): Booking[] => {
    const workflowId = `batch/${part}/${name}`;
    const taskId = `task-of-${part}-${name}`;
    const accepted = { purchase: { ...purchase(name), workflowId }, taskId, credits };
    return [
      { kind: 'accept', ...accepted, ...given({ facts }) },
      { kind: 'settle', workflowId, taskId, credits },
    ];
  };
  /** Such tasks have cost so much before. */
  const knowing = (...prices: [facts: PriceFacts, credits: number][]): Stage => {
    const stage = new Stage();
    for (const [facts, credits] of prices)
      stage.do({ ...accept('before', credits), facts } as Booking, settle('before', 0));
    expect(stage.sums).toEqual({ spent: 0, reserved: 0 });
    return stage;
  };

  it('is the price of all that it buys, where that is known: as many run side by side as there is room for', () => {
    const stage = knowing([PICTURE, 8], [FILM, 16]);
    expect(stage.kinds(hold('a'), hold('a'), hold('b'), hold('c'), hold('d'))).toEqual([
      'booked',
      'booked',
      'booked',
      'booked',
      'busy',
    ]);
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
    stage.carry();
    // What a dear one costs is nothing to the others.
    expect(stage.kinds(end('b'), end('c'), hold('dear', buys(PICTURE, FILM)), hold('d'))).toEqual([
      'booked',
      'booked',
      'busy',
      'booked',
    ]);
    stage.do(end('a'), end('d'), hold('dear', buys(PICTURE, FILM)), step('dear', 'one', 8));
    stage.do(...bought('dear', 'one', 8));
    expect(stage.sums).toEqual({ spent: 8, reserved: 16 });
    expect(stage.kinds(hold('e'))).toEqual(['busy']);
    stage.do(step('dear', 'two', 16), ...bought('dear', 'two', 16));
    expect(stage.kinds(hold('e'))).toEqual(['refused']);
  });

  it('is all that is left where a price is not known, and no more than it as soon as it is told', () => {
    const stage = new Stage();
    expect(stage.kinds(hold('a'), hold('b'), step('a', 'one', null))).toEqual(['booked', 'busy', 'booked']);
    stage.carry();
    // With the answer to its submit, long before it has ended.
    stage.do(...bought('a', 'one', 8, PICTURE).slice(0, 1));
    expect(stage.sums).toEqual({ spent: 0, reserved: 8 });
    expect(stage.kinds(hold('b'), hold('c'), hold('d'))).toEqual(['booked', 'booked', 'busy']);
  });

  it('is so as long as any of them is not known, and what is known fits beside it once something comes back', () => {
    const stage = knowing([PICTURE, 8]);
    stage.do(step('before', 'paid', 8), ...bought('before', 'paid', 8).slice(0, 1));
    stage.do(hold('a', buys(PICTURE, FILM)), step('a', 'one', 8), ...bought('a', 'one', 8, PICTURE));
    expect(stage.sums).toEqual({ spent: 8, reserved: 16 });
    expect(stage.kinds(hold('b'))).toEqual(['busy']);
    // A refund.
    stage.do({ kind: 'settle', workflowId: 'batch/before/paid', taskId: 'task-of-before-paid', credits: 0 });
    expect(stage.kinds(hold('other', buys(FILM)), hold('b'))).toEqual(['busy', 'booked']);
    stage.do(end('b'), step('a', 'two', null), ...bought('a', 'two', 4, FILM).slice(0, 1));
    expect(stage.sums).toEqual({ spent: 8, reserved: 4 });
  });

  it('is by proportion where others of a kind were seen, and by what a process knows where the account knows nothing', () => {
    const speech = (volume: number): PriceFacts => ({ kind: 'speech', volume });
    const stage = knowing([speech(100), 4]);
    stage.do(hold('a', buys(speech(300))));
    expect(stage.sums.reserved).toBe(12);
    stage.do(hold('b', [{ facts: PICTURE, times: 3, credits: 2 }]));
    expect(stage.sums.reserved).toBe(18);
  });

  it('is not what only an approval buys, so that others go on; but that has to be free, and is not passed after it', () => {
    const stage = knowing([PICTURE, 8]);
    const asks = (part: string): Booking => hold(part, buys(PICTURE), { later: buys(FILM) });
    // Nobody knows what a film costs.
    expect(stage.kinds(asks('a'), asks('b'))).toEqual(['booked', 'booked']);
    expect(stage.sums.reserved).toBe(16);
    stage.do(step('a', 'one', 8), ...bought('a', 'one', 8), step('b', 'one', 8), ...bought('b', 'one', 8));
    expect(stage.sums).toEqual({ spent: 16, reserved: 0 });
    const film = (part: string): Booking => ({ ...step(part, 'two', null), facts: FILM }) as Booking;
    expect(stage.kinds(film('a'), film('b'), hold('c'))).toEqual(['booked', 'busy', 'busy']);
    stage.do(...bought('a', 'two', 6, FILM));
    expect(stage.do(film('b'))).toMatchObject([{ kind: 'refused', spent: 22, reserved: 0, price: 6 }]);
    // A row is not started whose approved part could not be paid: by its price, or because nothing is left.
    const none = (part: string, ...later: PriceFacts[]): Booking => hold(part, [], { later: buys(...later) });
    expect(stage.do(none('d', FILM))).toMatchObject([{ kind: 'refused', price: 6 }]);
    stage.do(reserve('rest', 2), accept('rest', 2), settle('rest', 2));
    expect(stage.do(none('e', { kind: 'never seen', volume: 1 }))).toMatchObject([
      { kind: 'refused', spent: 24, price: null, holders: [] },
    ]);
  });

  it('is not used up by what an approval buys: what the rest of the row buys stays held', () => {
    const stage = knowing([PICTURE, 8], [FILM, 6]);
    const more = { limit: 40, later: buys(FILM), laterSteps: ['film'] };
    stage.do(hold('a', [{ facts: PICTURE, times: 2, credits: 8 }], more));
    stage.carry();
    stage.do(step('a', 'film', 6, 40));
    expect(stage.sums).toEqual({ spent: 0, reserved: 22 });
    stage.do(...bought('a', 'film', 6, FILM));
    expect(stage.sums).toEqual({ spent: 6, reserved: 16 });
    stage.do(step('a', 'one', 8, 40), ...bought('a', 'one', 8));
    expect(stage.sums).toEqual({ spent: 14, reserved: 8 });
  });

  it('stays held for what it buys next, also where a purchase has cost less than was reserved for it, or was refunded', () => {
    const stage = knowing([PICTURE, 8]);
    stage.do(hold('a', [{ facts: PICTURE, times: 2, credits: 8 }]));
    stage.do(step('a', 'one', 16), ...bought('a', 'one', 8));
    expect(stage.sums).toEqual({ spent: 8, reserved: 8 });
    stage.do(hold('b'), step('b', 'one', 8), ...bought('b', 'one', 0));
    expect(stage.sums).toEqual({ spent: 8, reserved: 16 });
  });

  it('is no more than the budget that it has of its own', () => {
    const stage = new Stage();
    expect(stage.kinds(hold('a', buys(FILM), { most: 8 }), hold('b', buys(FILM), { most: 16 }))).toEqual([
      'booked',
      'booked',
    ]);
    expect(stage.sums.reserved).toBe(24);
  });

  it('is for its own purchases, which may also take what nobody holds', () => {
    const stage = knowing([PICTURE, 8]);
    stage.do(hold('a'), hold('b'));
    // What runs waits for no part to leave something over.
    expect(stage.kinds(step('c', 'other', 12), step('a', 'one', 12))).toEqual(['refused', 'booked']);
    expect(stage.sums).toEqual({ spent: 0, reserved: 20 });
    expect(stage.kinds(step('b', 'one', 8), step('b', 'two', 8))).toEqual(['booked', 'busy']);
    stage.do(...bought('a', 'one', 4), end('a'));
    expect(stage.kinds(step('b', 'two', 8))).toEqual(['booked']);
    expect(stage.sums).toEqual({ spent: 4, reserved: 16 });
  });

  it('is no more once it has ended: its open purchases count for themselves', () => {
    const stage = new Stage();
    stage.do(hold('a'), step('a', 'one', null), end('a'));
    // Its submit is under way: nobody knows a price.
    expect(stage.do(hold('b'))).toMatchObject([{ kind: 'busy', from: 'submit' }]);
    stage.carry();
    stage.do(...bought('a', 'one', 8, PICTURE).slice(0, 1));
    expect(stage.kinds(hold('b'), hold('c'))).toEqual(['booked', 'booked']);
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
    stage.do(...bought('a', 'one', 8).slice(1));
    expect(stage.do(hold('d'))).toMatchObject([{ kind: 'busy', from: 'part' }]);
    expect(stage.sums).toEqual({ spent: 8, reserved: 16 });
  });

  it('is bounded by a budget of its own, which is no price where more than is left', () => {
    const stage = new Stage();
    expect(stage.do(hold('a', buys(FILM), { most: 50 }))).toMatchObject([{ kind: 'booked', reserved: 24 }]);
    const other = new Stage();
    expect(other.do(hold('a', buys(FILM), { most: 8 }))).toMatchObject([{ kind: 'booked', reserved: 8 }]);
  });

  it('is not kept from one that runs where it is all that was left', () => {
    const stage = knowing([PICTURE, 8]);
    stage.do(hold('a'), hold('b', buys(FILM)));
    expect(stage.sums).toEqual({ spent: 0, reserved: 24 });
    stage.do(step('a', 'one', 8), ...bought('a', 'one', 8));
    // It has failed, and is bought again.
    expect(stage.kinds(step('a', 'two', 8), hold('c'))).toEqual(['booked', 'busy']);
  });

  it('of too many that run the oldest goes', () => {
    const stage = knowing([PICTURE, 8]);
    const limit = 1_000_000;
    const others = Array.from({ length: 999 }, (_, n) => hold(`other-${n}`, buys(PICTURE), { limit }));
    stage.do(hold('running', buys(PICTURE), { limit }), ...others);
    expect(stage.sums.reserved).toBe(8 * 1_000);
    stage.do(hold('last', buys(PICTURE), { limit }));
    expect(stage.sums.reserved).toBe(8 * 1_000);
    // It buys on, and holds what each purchase costs.
    stage.do(step('running', 'one', 8, limit));
    expect(stage.sums.reserved).toBe(8 * 1_001);
  });

  it('is free soon after a part has ended that nobody has told the end of, where another one waits for it', () => {
    const stage = new Stage();
    const looks = (): string[] => stage.book.parts.toLookAt(stage.now).map(({ name }) => name);
    stage.do(hold('a'), step('a', 'one', 8), hold('b'));
    expect(stage.book.nextDue(stage.now)).toBe(NOON + 5_000); // the purchase
    expect(looks()).toEqual([]);
    stage.carry();
    stage.now += 10_000;
    const [part] = stage.book.parts.toLookAt(stage.now);
    expect(part?.name).toBe('batch/a');
    if (part !== undefined) stage.book.parts.ended(part);
    expect(stage.do(hold('b'))).toMatchObject([{ kind: 'booked', reserved: 24 }]);
    // One that runs is looked at again when another part asks, and seldom by itself.
    stage.now += 10_000;
    stage.do(hold('c'));
    expect(looks()).toEqual(['batch/b']);
    stage.now += 60_000;
    expect(looks()).toEqual([]);
    stage.now += 10 * MINUTE;
    expect(looks()).toEqual(['batch/b']);
  });

  it('stays held for a part that was held for anew while it was looked at', () => {
    const stage = new Stage();
    stage.do(hold('a'), hold('b'));
    stage.now += 10_000;
    const [part] = stage.book.parts.toLookAt(stage.now);
    stage.do(end('a'), hold('a'));
    if (part !== undefined) stage.book.parts.ended(part);
    expect(part?.name).toBe('batch/a');
    expect(stage.sums.reserved).toBe(24);
  });

  it('tells by what it may come back: a submit, a task that is paid for, a part that runs', () => {
    const stage = new Stage();
    stage.do(hold('a'), step('a', 'one', 8), hold('b'));
    expect(stage.do(hold('b'))).toMatchObject([{ kind: 'busy', from: 'part' }]);
    stage.do(...bought('a', 'one', 24).slice(0, 1), end('a'));
    expect(stage.do(hold('b'))).toMatchObject([{ kind: 'busy', from: 'task' }]);
  });
});
