import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { Ownership } from '../../../src/contract/entities/task-notices.ts';
import type { UnclaimedTasksLimits } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { ClaimBook } from '../../../src/workflows/unclaimed-tasks/claim-book.ts';
import type { ReadClaim } from '../../../src/workflows/unclaimed-tasks/read-messages.ts';
import type { Batch, Granted } from '../../../src/workflows/unclaimed-tasks/surveys.ts';
import { Awake, claim, judge, notice, WAIT } from './awake.ts';

const HARE = fieldDigests({ prompt: 'hare' });
const FAILED: Ownership = { kind: 'free', endedWithoutResult: true };

const ofRun = (claimId: string, runId: string, over: Partial<ReadClaim> = {}): ReadClaim =>
  claim(claimId, { workflowId: 'generation/x', firstRunId: 'first', runId, ...over });
const claimIds = ({ book }: Awake): string[] => book.claims.map(({ claimId }) => claimId);

describe('a claim that comes again', () => {
  it.each([5, 9])('goes on with its wait, and is as old as it was told to be: %d', (since) => {
    const world = new Awake({}, claim('a', { since: 14 - since }));
    world.at(30_000).addClaim(claim('a', { since }), 30_000);
    expect(world.book.claims).toMatchObject([{ since: 5, looksFrom: 0, looksUntilAtMost: 10 * WAIT }]);
  });

  it('goes on with a wait that was begun anew', () => {
    const world = new Awake({}, claim('a'));
    world.at(30_000).delay(30_000);
    world.at(40_000).addClaim(claim('a'), 40_000);
    world.at(70_000);
    expect(world.withdraw('a')).toMatchObject({ why: 'events were delayed', wait: 20_000 });
  });

  it('is not put in again where it was granted', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey();
    world.book.addClaim(claim('a'), 0);
    expect(claimIds(world)).toEqual([]);
  });

  it('is open, and no longer given up', () => {
    const world = new Awake({}, claim('a'));
    world.withdraw('a', 'abandon');
    world.book.addClaim(claim('a'), 0);
    expect([claimIds(world), world.book.formerCount]).toEqual([['a'], 0]);
  });
});

describe('of one purchase', () => {
  it('the claim of a run’s next submit takes the place of the one before, and waits for itself', () => {
    const world = new Awake({}, ofRun('a', 'first', { since: 1_000 }));
    world.at(30_000).addClaim(ofRun('b', 'first', { since: 20_000 }), 30_000);
    expect(world.book.claims).toMatchObject([{ claimId: 'b', since: 20_000, looksFrom: 30_000 }]);
  });

  it('the claim of a submit in the same millisecond is the next one', () => {
    const world = new Awake({}, ofRun('a', 'first'));
    world.book.addClaim(ofRun('b', 'first'), 0);
    expect(claimIds(world)).toEqual(['b']);
  });

  it('the claim of a Reset’s run takes the place of the one before, whatever its worker’s clock says', () => {
    const world = new Awake({}, ofRun('a', 'first', { since: 1_000 }));
    world.book.addClaim(ofRun('b', 'second', { since: 900 }), 0);
    expect(world.book.claims).toMatchObject([{ claimId: 'b', since: 900 }]);
  });
});

describe('the room for claims', () => {
  /** A book whose room ends so many bytes after that of these claims, all of which ask a person by now. */
  const full = (more: number, ...claims: ReadClaim[]): Awake => {
    const bytes = new Awake({}, ...claims).book.claims.map(jsonBytes).reduce((a, b) => a + b);
    const world = new Awake({ claimBytes: bytes + more }, ...claims);
    world.at(WAIT);
    expect(claimIds(world)).toHaveLength(claims.length);
    return world;
  };
  // As large as one that came first.
  const next = (claimId: string): ReadClaim => claim(claimId, { wait: 10_000 });

  it('is needed once by the claims of one purchase', () => {
    const world = full(10, ofRun('a', 'one'));
    world.book.addClaim(ofRun('b', 'two'), WAIT);
    expect([claimIds(world), world.book.alarms.counts.refused]).toEqual([['b'], 0]);
  });

  it('is made by those who ask a person, only as many as have to go', () => {
    const world = full(20, claim('a'), claim('b'), claim('c'));
    world.book.addClaim(next('d'), WAIT);
    expect(claimIds(world)).toEqual(['b', 'c', 'd']);
    world.book.addClaim(claim('e', { known: ['x'.repeat(150)] }), WAIT);
    expect(claimIds(world)).toEqual(['d', 'e']);
    expect(world.book.alarms.counts.refused).toBe(0);
  });

  it('is not taken from those who still wait', () => {
    const world = full(0, claim('a', { wait: WAIT + 1 }));
    world.book.addClaim(next('b'), WAIT);
    expect([claimIds(world), world.book.alarms.counts.refused]).toEqual([['a'], 1]);
  });

  it('is not made by the claim that would be replaced, which stays where the next one is too large', () => {
    const world = full(10, ofRun('a', 'one'));
    world.book.addClaim(ofRun('b', 'two', { known: ['x'.repeat(100)] }), WAIT);
    expect([claimIds(world), world.book.alarms.counts.refused]).toEqual([['a'], 1]);
  });
});

it('a task that was granted may be granted to the next purchase of the same workflow id, and to nobody else', () => {
  const world = new Awake({}, claim('a'));
  world.book.addTask(notice('t'), 0);
  expect(world.survey()).toEqual([['a', 't']]);
  world.renew();
  world.book.addClaim(claim('b'), 0);
  world.book.addClaim(claim('a2', { firstRunId: 'a', workflowId: 'generation/a', since: 1 }), 0);
  expect(world.survey()).toEqual([]);
  world.book.addClaim(claim('c', { workflowId: 'generation/a' }), 0);
  expect(world.survey()).toEqual([['c', 't']]);
});

describe('a claim that ends', () => {
  const withTask = (): Awake => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    return world;
  };

  it('in any case ends whatever may still come: abandoned it is remembered, settled it is not', () => {
    const abandoned = withTask();
    expect(abandoned.withdraw('a', 'abandon')).toEqual({ kind: 'gone' });
    expect([claimIds(abandoned), abandoned.book.formerCount]).toEqual([[], 1]);
    const settled = withTask();
    expect(settled.withdraw('a', 'settled')).toEqual({ kind: 'gone' });
    expect([claimIds(settled), settled.book.formerCount]).toEqual([[], 0]);
  });

  it('does so whatever becomes of a task that is not its', () => {
    const world = new Awake({}, claim('a'), claim('b', { fields: HARE }));
    world.book.addTask(notice('b’s', { fields: HARE }), 0);
    world.survey({ kind: 'unreadable', reason: 'HTTP 503' });
    expect(world.withdraw('a')).toEqual({ kind: 'gone' });
  });

  it('with a task that has failed has it for good, and nobody else gets it', () => {
    const world = withTask();
    expect(world.survey(FAILED)).toEqual([]);
    const [kept] = world.book.claims;
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking' });
    const [task] = world.book.nextBatch(0)?.tasks ?? [];
    if (kept === undefined || task === undefined) throw new Error('nothing is looked at');
    judge(world.book, { t: FAILED }, { tasks: [task], claimants: [] }, 0);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    expect([claimIds(world), world.book.taskCount, world.book.formerCount]).toEqual([[], 0, 0]);
    world.book.revoke({ claim: kept, task }, 0);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
  });

  it('because its run has closed is remembered, and no other is', () => {
    const world = new Awake({}, claim('a'), claim('b'));
    world.book.checked('nobody’s', 'closed', 0);
    world.book.checked('a', { runId: 'a' }, 0);
    expect([claimIds(world), world.book.formerCount]).toEqual([['a', 'b'], 0]);
    world.book.checked('a', 'closed', 0);
    expect([claimIds(world), world.book.formerCount]).toEqual([['b'], 1]);
  });

  it('because another start of its workflow has one is remembered, with what its own submit has sent', () => {
    const world = new Awake({}, claim('a'));
    world.book.addClaim({ ...claim('b'), workflowId: 'generation/a', since: 5 }, 0);
    expect([claimIds(world), world.book.formerCount]).toEqual([['b'], 1]);
    expect(world.book.claims).toMatchObject([{ claimId: 'b', since: 5 }]);
    // A Reset's run goes on for the same purchase: its claim takes the place of the one before.
    world.book.addClaim({ ...claim('c'), workflowId: 'generation/a', firstRunId: 'b', runId: 'c' }, 0);
    expect([claimIds(world), world.book.formerCount]).toEqual([['c'], 1]);
  });

  it.each(['look', 'give up', 'buy again'] as const)(
    'because its run has closed is not there for a run that goes on for it and says "%s"',
    (as) => {
      const world = new Awake({}, claim('a'), claim('b'));
      world.book.checked('a', 'closed', 0);
      world.withdraw('b', 'abandon');
      world.renew();
      expect([world.withdraw('a', as), world.withdraw('b', as)]).toEqual([
        { kind: 'not there' },
        { kind: 'gone' },
      ]);
      world.book.addClaim(claim('a'), 0);
      world.at(WAIT);
      expect(world.withdraw('a')).toEqual({ kind: 'gone' });
    },
  );

  it('because its run has closed is proven by no task any more when its Reset has settled it', () => {
    const world = new Awake({}, claim('a'));
    world.book.checked('a', 'closed', 0);
    expect([world.withdraw('a', 'settled'), world.book.formerCount]).toEqual([{ kind: 'gone' }, 0]);
  });

  it('is remembered for its life', () => {
    const world = new Awake({ formerLife: 100_000 }, claim('a'));
    world.withdraw('a', 'abandon');
    expect(world.at(99_000).formerCount).toBe(1);
    expect(world.at(100_000).isEmpty).toBe(true);
  });
});

describe('what may still come for a claim', () => {
  const LOOKED_AT = { kind: 'looking', lasting: false, why: 'task t may be this one: it is being looked at' };

  it.each(['open', 'given up'])('that is %s is what is looked at: until somebody else holds it', (state) => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT);
    if (state === 'given up') world.withdraw('a');
    expect([world.book.lookingFor('a', WAIT), world.book.lookingFor('nobody’s', WAIT)]).toEqual([null, null]);
    world.book.addTask(notice('another', { fields: HARE }), WAIT);
    expect(world.book.lookingFor('a', WAIT)).toBeNull();
    world.book.addTask(notice('t'), WAIT);
    expect(world.book.lookingFor('a', WAIT)).toMatchObject(LOOKED_AT);
    world.survey({ kind: 'in flight' });
    world.at(2 * WAIT - 1);
    expect(world.book.lookingFor('a', world.now)).toMatchObject({ kind: 'looking', lasting: false });
    world.survey({ kind: 'held' });
    expect(world.book.lookingFor('a', world.now)).toBeNull();
  });

  it('that was given up is nothing that an open one is granted', () => {
    const world = new Awake({}, claim('a'));
    world.withdraw('a', 'abandon');
    world.book.addClaim(claim('b'), 0);
    world.book.addTask(notice('t'), 0);
    expect(world.book.lookingFor('a', 0)).toMatchObject(LOOKED_AT);
    expect(world.survey()).toEqual([['b', 't']]);
    expect(world.book.lookingFor('a', 0)).toBeNull();
  });

  it('is told, once, to whoever was told that there is nothing, also after continue-as-new', () => {
    const world = new Awake({}, claim('asks'), claim('looks'), claim('other', { fields: HARE }));
    world.at(WAIT);
    for (const id of ['asks', 'other']) expect(world.withdraw(id, 'look')).toEqual({ kind: 'nothing' });
    world.renew();
    world.book.addClaim(claim('asks', { runId: 'as which it goes on' }), WAIT);
    world.book.addTask(notice('t'), WAIT);
    expect(world.book.takeBegun()).toMatchObject([{ claimId: 'asks', runId: 'as which it goes on' }]);
    world.book.addTask(notice('u'), WAIT);
    expect(world.book.takeBegun()).toEqual([]);
    world.survey({ kind: 'held' });
    expect(world.withdraw('asks', 'look')).toEqual({ kind: 'nothing' });
    world.book.addTask(notice('v'), WAIT);
    expect(world.book.takeBegun()).toMatchObject([{ claimId: 'asks' }]);
    world.book.addTask(notice('v'), WAIT);
    expect(world.book.takeBegun()).toEqual([]);
  });
});

describe('a grant that is revoked', () => {
  const granted = (world: Awake): Granted => {
    world.book.addTask(notice('t'), world.now);
    const batch = world.book.nextBatch(world.now) ?? { tasks: [], claimants: [] };
    const [grant] = judge(world.book, { t: { kind: 'free' } }, batch, world.now).grants;
    if (grant === undefined) throw new Error('nothing was granted');
    return grant;
  };

  it('opens its claim again, and its task is looked at a second later', () => {
    const world = new Awake({}, claim('a'));
    world.book.revoke(granted(world), 0);
    expect([claimIds(world), world.book.taskCount]).toEqual([['a'], 1]);
    world.at(999);
    expect(world.survey()).toEqual([]);
    world.at(1_000);
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('leaves the claim of the Reset’s run that has come meanwhile', () => {
    const world = new Awake({}, ofRun('a', 'first'));
    const grant = granted(world);
    world.book.addClaim(ofRun('b', 'second'), 0);
    world.book.revoke(grant, 0);
    expect(claimIds(world)).toEqual(['b']);
  });
});

it('a claim that has waited ten times is one that asks a person, whatever is delayed', () => {
  const world = new Awake({}, claim('a'));
  for (let at = 1_000; at < 10 * WAIT; at += 1_000) world.at(at).delay(at);
  world.at(10 * WAIT).delay(10 * WAIT);
  const [{ looksFrom } = { looksFrom: 0 }] = world.book.claims;
  expect(looksFrom).toBe(10 * WAIT - 1_000);
});

describe('the book', () => {
  const none: Batch = { tasks: [], claimants: [] };
  it.each<[string, (book: ClaimBook, now: number) => void]>([
    ['is carried over', (book, now) => book.carryOver(now)],
    ['hears of a task', (book, now) => book.addTask(notice('t'), now)],
    ['hears of a claim', (book, now) => book.addClaim(claim('b'), now)],
    ['hears of delayed events', (book, now) => book.delay(now)],
    ['is asked by a claim', (book, now) => book.withdraw({ claimId: 'a', as: 'look' }, now)],
    ['hears of a survey', (book, now) => book.judge({}, none, now)],
    ['is asked for claims to look up', (book, now) => book.claimsToCheck(now)],
    ['hears of a claim’s run', (book, now) => book.checked('a', { runId: 'a' }, now)],
  ])('knows that somebody looked when it %s', (_what, step) => {
    const { book } = new Awake({}, claim('a'));
    book.plan(60_000);
    step(book, 50_000);
    expect(book.looked).toBe(50_000);
  });

  it('is carried over as it is, and nothing is carried over that there is not', () => {
    const limits: Partial<UnclaimedTasksLimits> = { visibilityLag: 0, entryLife: 100_000 };
    const world = new Awake(limits, claim('a', { shape: undefined }));
    const clock = { looked: 7_000, at: 7_000 };
    const counts = { malformed: 0, evicted: 0, refused: 0 };
    const state = { workspace: 'default', granted: [], models: {}, clock, counts };
    world.at(7_000);
    expect(world.book.carryOver(7_000)).toStrictEqual([{ ...state, limits }, { claims: world.book.claims }]);
    world.renew();
    expect([world.book.taskCount, claimIds(world), world.book.formerCount]).toEqual([0, ['a'], 0]);
    const usual = new ClaimBook({ workspace: 'default' }, [], 7_000);
    expect(usual.carryOver(7_000)).toStrictEqual([{ ...state, clock: { looked: 0, at: 7_000 } }]);
  });

  it('is handed on with time in which somebody looked, and begins its waits anew where nobody did', () => {
    const world = new Awake({}, claim('a'));
    const [state, ...pages] = world.at(7_000).carryOver(7_000);
    const soon = new ClaimBook(state, pages, 12_000);
    expect([soon.looked, soon.claims[0]?.looksFrom]).toEqual([12_000, 0]);
    const late = new ClaimBook(state, pages, 3_600_000);
    expect([late.looked, late.claims[0]?.looksFrom]).toEqual([7_000, 7_000]);
  });

  it('is empty when there is no task, no claim and no submit that was given up', () => {
    const world = new Awake();
    expect(world.book.isEmpty).toBe(true);
    world.book.addClaim(claim('a'), 0);
    expect(world.book.isEmpty).toBe(false);
    world.withdraw('a', 'abandon');
    expect(world.book.isEmpty).toBe(false);
    const other = new Awake();
    other.book.addTask(notice('t'), 0);
    expect(other.book.isEmpty).toBe(false);
  });
});
