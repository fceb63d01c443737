import { describe, expect, it } from 'vitest';
import { fieldDigests, withTemplate } from '../../../src/api/input/field-digests.ts';
import { templateIdOf } from '../../../src/api/input/template.ts';
import type { ModelShape } from '../../../src/contract/entities/claims.ts';
import type { Ownership, TaskNotice } from '../../../src/contract/entities/task-notices.ts';
import type { ReadClaim } from '../../../src/workflows/unclaimed-tasks/read-messages.ts';
import { Awake, claim, judge, notice, PATIENCE, WAIT } from './awake.ts';

const GONE = { kind: 'gone' };

describe('a claim', () => {
  it('that finds nothing is gone when it is withdrawn, however often, and is remembered', () => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT);
    expect(world.withdraw('a', 'look')).toEqual({ kind: 'nothing' });
    expect(world.withdraw('a')).toEqual(GONE);
    world.renew();
    expect(world.withdraw('a')).toEqual(GONE);
    expect(world.withdraw('never put in')).toEqual({ kind: 'not there' });
  });

  it('stays while a task may be its that was not looked at, and while an answer can be in flight', () => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT - 1).addTask(notice('t'), WAIT - 1);
    world.at(WAIT);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    world.survey({ kind: 'in flight' });
    world.at(WAIT + PATIENCE - 1);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    world.at(WAIT + PATIENCE);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    world.survey({ kind: 'in flight' });
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('is neither granted nor given up while the record of a task that fits cannot be read', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey({ kind: 'unreadable', reason: 'HTTP 503' })).toEqual([]);
    world.at(20 * WAIT);
    const why = expect.stringMatching(/^task t may be this one, but its record cannot be read: HTTP 503$/);
    for (const as of ['look', 'give up', 'buy again'] as const)
      expect(world.withdraw('a', as)).toMatchObject({ kind: 'looking', lasting: true, why });
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('is for a task of its own template, or of none', () => {
    const fields = fieldDigests({ prompt: 'fox' });
    const of = (templateId: string) => ({ fields: withTemplate(fields, templateId) });
    const world = new Awake({}, claim('a', of('poster')), claim('b', of('pair')), claim('c'));
    world.book.addTask(notice('another one’s', of('nobody')), 0);
    world.book.addTask(notice('pair’s', of('pair')), 0);
    expect(world.survey()).toEqual([['b', 'pair’s']]);
    world.book.addTask(notice('nobody’s'), 0);
    world.book.addTask(notice('poster’s', of('poster')), 0);
    expect(world.survey().toSorted()).toEqual([
      ['a', 'poster’s'],
      ['c', 'nobody’s'],
    ]);
  });

  it('may be for a task of a template that nobody names, and of two such claims none gets it', () => {
    const fields = fieldDigests({ prompt: 'fox' });
    const of = (templateId: string) => ({ fields: withTemplate(fields, templateId) });
    const metadata = { slug: 'poster' };
    const unnamed = notice('t', of(templateIdOf(metadata) ?? ''));
    const alone = new Awake({}, claim('a', of('poster')), claim('b'));
    alone.book.addTask(unnamed, 0);
    expect(alone.survey()).toEqual([['a', 't']]);
    const two = new Awake({}, claim('a', of('poster')), claim('b', of('pair')));
    two.book.addTask(unnamed, 0);
    expect(two.survey()).toEqual([]);
    expect(two.book.withdraw({ claimId: 'a', as: 'buy again' }, WAIT)).toMatchObject({
      kind: 'looking',
      lasting: true,
    });
  });

  it('is for no task of a template where the model takes fields that nobody knows', () => {
    const shape: ModelShape = { family: 'image', takes: { names: ['prompt'], open: true } };
    const world = new Awake({}, claim('a', { shape }));
    world.book.addTask(notice('t', { fields: withTemplate(fieldDigests({ prompt: 'fox' }), 'poster') }), 0);
    expect(world.survey()).toEqual([]);
  });

  it('is gone at once when it is settled otherwise', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.book.delay(0);
    expect(world.withdraw('a', 'settled')).toEqual(GONE);
  });

  it('gets the same answer however often it is withdrawn or repeated after a grant', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey()).toEqual([['a', 't']]);
    world.book.addClaim(claim('a'), 1);
    world.book.addTask(notice('t'), 1);
    expect(world.survey()).toEqual([]);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    world.renew();
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
  });

  it('whose generation was gone leaves its task to the next when the grant is revoked', () => {
    const world = new Awake({}, claim('a'), claim('b', { since: 1 }));
    world.book.addTask(notice('t'), 0);
    const batch = world.book.nextBatch(0) ?? { tasks: [], claimants: [] };
    const [granted] = judge(world.book, { t: { kind: 'free' } }, batch, 0).grants;
    if (granted === undefined) throw new Error('nothing was granted');
    world.book.revoke(granted, 0);
    world.book.checked('a', 'closed', 0);
    world.at(1_000);
    expect(world.survey()).toEqual([['b', 't']]);
  });

  it('whose run has heard of its grant keeps it, even if its signal failed', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const batch = world.book.nextBatch(0) ?? { tasks: [], claimants: [] };
    const [granted] = judge(world.book, { t: { kind: 'free' } }, batch, 0).grants;
    if (granted === undefined) throw new Error('nothing was granted');
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    world.book.revoke(granted, 0);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    expect(world.book.taskCount).toBe(0);
  });
});

describe('the claim of a run that is Reset', () => {
  const ofRun = (claimId: string, runId: string, since: number): ReadClaim =>
    claim(claimId, { workflowId: 'generation/x', firstRunId: 'first', runId, since });

  it('is taken up by the next run, with the first submit’s time', () => {
    const world = new Awake({}, ofRun('a', 'first', 1_000));
    world.at(WAIT).addClaim(ofRun('b', 'second', 30_000), WAIT);
    world.book.addClaim(ofRun('c', 'third', 40_000), WAIT);
    expect(world.book.claims).toMatchObject([{ claimId: 'c', runId: 'third', since: 1_000 }]);
    expect(world.withdraw('a')).toEqual({ kind: 'not there' });
  });

  it('is found by the run that took its place', () => {
    const world = new Awake({}, ofRun('a', 'first', 0));
    world.book.checked('a', { runId: 'second' }, 0);
    expect(world.book.claims).toMatchObject([{ claimId: 'a', runId: 'second' }]);
  });

  it('does not fall back to an earlier submit whose claim comes late', () => {
    const world = new Awake({}, ofRun('b', 'first', 30_000));
    world.book.addClaim(ofRun('a', 'first', 1_000), 0);
    expect(world.book.claims).toMatchObject([{ claimId: 'b', since: 30_000 }]);
  });
});

describe('equal submits of different models', () => {
  const video = (claimId: string): ReadClaim =>
    claim(claimId, {
      model: 'video-g',
      shape: { family: 'video', takes: { names: ['prompt', 'n', 'duration'], open: false } },
    });

  it('are told apart by a field that one of the models lacks', () => {
    const world = new Awake({}, claim('image'), video('video'));
    world.book.addTask(notice('t', { fields: fieldDigests({ prompt: 'fox', duration: 5 }) }), 0);
    expect(world.survey()).toEqual([['video', 't']]);
  });

  it('wait for each other, until the records tell by what was made', () => {
    const world = new Awake({}, claim('image'), video('video'));
    for (const id of ['t', 'u']) world.book.addTask(notice(id), 0);
    expect(world.survey()).toEqual([]);
    world.at(WAIT);
    expect(world.withdraw('image')).toMatchObject({ lasting: true, why: expect.stringMatching(/alike$/) });
    const batch = world.book.nextBatch(world.now) ?? { tasks: [], claimants: [] };
    const found: Record<string, Ownership> = {
      t: { kind: 'free', family: 'video' },
      u: { kind: 'free', family: 'image' },
    };
    const { grants } = judge(world.book, found, batch, world.now);
    expect(grants.map((granted) => [granted.claim.claimId, granted.task.taskId])).toEqual([
      ['video', 't'],
      ['image', 'u'],
    ]);
  });

  it('wait for each other until one of them is settled otherwise', () => {
    const world = new Awake({}, claim('image'), video('video'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey()).toEqual([]);
    expect(world.withdraw('image', 'settled')).toEqual(GONE);
    expect(world.survey()).toEqual([['video', 't']]);
  });

  it('lose a task that only a model with unknown fields explains in part to the one that explains all', () => {
    const shape: ReadClaim['shape'] = { family: 'image', takes: { names: ['prompt'], open: true } };
    const world = new Awake({}, claim('open', { model: 'image-x', shape }), claim('closed'));
    world.book.addTask(notice('t', { fields: fieldDigests({ prompt: 'fox', n: 1 }) }), 0);
    expect(world.survey()).toEqual([['closed', 't']]);
  });
});

describe('of equal submits of one model', () => {
  it('the one with the most fields sent comes first, then the latest', () => {
    const world = new Awake(
      {},
      claim('young', { since: 200 }),
      claim('old', { since: 100 }),
      claim('sure', { since: 300, fields: fieldDigests({ prompt: 'fox', n: 2 }) }),
    );
    for (const id of ['t', 'u', 'v'])
      world.book.addTask(notice(id, { fields: fieldDigests({ prompt: 'fox', n: 2 }) }), 0);
    expect(world.survey()).toEqual([
      ['sure', 't'],
      ['young', 'u'],
      ['old', 'v'],
    ]);
  });

  it('the earlier one is left with the task that the later one is too young for, however late that is read', () => {
    const world = new Awake(
      {},
      claim('early', { since: 100_000, clockOffset: 0 }),
      claim('late', { since: 160_000, clockOffset: 0 }),
    );
    world.book.addTask(notice('of late', { arrivedAt: 200_000, createdAt: 160_100 }), 0);
    expect(world.survey()).toEqual([['late', 'of late']]);
    world.book.addTask(notice('of early', { arrivedAt: 200_000, createdAt: 100_100 }), 0);
    expect(world.survey()).toEqual([['early', 'of early']]);
  });
});

describe('a task', () => {
  it('that the API made well before the submit began, by its own clock, is not the submit’s', () => {
    const world = new Awake({}, claim('a', { since: 100_000, clockOffset: 60_000 }));
    world.book.addTask(notice('before', { arrivedAt: 101_000, createdAt: 125_000 }), 0);
    world.book.addTask(notice('after', { arrivedAt: 101_000, createdAt: 160_000 }), 0);
    expect(world.survey()).toEqual([['a', 'after']]);
  });

  it('that arrived before the submit began is not its, give or take the clocks', () => {
    const world = new Awake({}, claim('a', { since: 100_000 }));
    world.book.addTask(notice('before', { arrivedAt: 94_000 }), 0);
    expect(world.survey()).toEqual([]);
    world.book.addTask(notice('after', { arrivedAt: 96_000 }), 0);
    expect(world.survey()).toEqual([['a', 'after']]);
  });

  it('that the run has had before is not looked at', () => {
    const world = new Awake({}, claim('a', { known: ['t'] }));
    world.book.addTask(notice('t'), 0);
    expect(world.survey()).toEqual([]);
  });

  it('goes to nobody but its owner where that is known', () => {
    const world = new Awake({}, claim('a'), claim('b'));
    world.book.addTask(notice('t', { owner: 'generation/b' }), 0);
    expect(world.survey({ kind: 'in flight' })).toEqual([['b', 't']]);
  });

  it('whose record says something else than its event is judged by the record', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey({ kind: 'free', fields: fieldDigests({ prompt: 'hare' }) })).toEqual([]);
    world.at(WAIT);
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('that has failed goes to a claim that has waited long, or gives up', () => {
    const failed: Ownership = { kind: 'free', endedWithoutResult: true };
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey(failed)).toEqual([]);
    world.at(0.75 * WAIT - 1_000);
    expect(world.survey(failed)).toEqual([]);
    const gives = new Awake({}, claim('a'));
    gives.book.addTask(notice('t'), 0);
    gives.survey(failed);
    world.at(0.75 * WAIT);
    expect(world.survey(failed)).toEqual([['a', 't']]);
    expect(gives.withdraw('a', 'look')).toMatchObject({ kind: 'looking', lasting: false });
    expect(gives.survey(failed)).toEqual([['a', 't']]);
    expect(gives.withdraw('a', 'look')).toEqual({ kind: 'granted', taskId: 't' });
  });

  it('is free after all where more submit than were looked at, once none of them can be in flight', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const unsure: Ownership = { kind: 'in flight', unverified: true };
    expect(world.survey(unsure)).toEqual([]);
    world.at(PATIENCE);
    expect(world.survey({ kind: 'in flight' })).toEqual([]);
    world.at(2 * PATIENCE);
    expect(world.survey(unsure)).toEqual([['a', 't']]);
  });

  it('is remembered for its life, and told of again for another', () => {
    const world = new Awake({ entryLife: 100_000 });
    world.book.addTask(notice('t'), 0);
    world.at(50_000).addTask(notice('t', { owner: 'generation/a' }), 50_000);
    expect(world.at(149_000).taskCount).toBe(1);
    expect(world.at(150_000).isEmpty).toBe(true);
  });
});

describe('delayed events', () => {
  it('give every open claim its whole wait again', () => {
    const world = new Awake({}, claim('a'));
    world.at(50_000).delay(50_000);
    world.at(WAIT);
    expect(world.withdraw('a')).toEqual({
      kind: 'looking',
      wait: 50_000,
      why: 'events were delayed',
      lasting: false,
    });
    world.renew();
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', wait: 50_000 });
    world.at(50_000 + WAIT);
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('do not keep a person’s word away', () => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT).delay(WAIT);
    expect(world.withdraw('a', 'buy again')).toEqual(GONE);
  });

  it('are nothing to a claim that comes after them', () => {
    const world = new Awake();
    world.at(50_000).delay(50_000);
    world.at(51_000).addClaim(claim('a'), 51_000);
    world.at(51_000 + WAIT);
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('delay a claim for ten waits in all, however often they are told of', () => {
    const world = new Awake({}, claim('a'));
    const tellUntil = (end: number): void => {
      for (let at = world.now + 1_000; at <= end; at += 1_000) world.at(at).delay(at);
    };
    tellUntil(10 * WAIT - 1_000);
    expect(world.withdraw('a')).toMatchObject({ wait: 1_000 });
    tellUntil(10 * WAIT);
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('make a failed task wait as well: a better one may come', () => {
    const failed: Ownership = { kind: 'free', endedWithoutResult: true };
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey(failed);
    world.at(40_000).delay(40_000);
    world.at(0.75 * WAIT);
    expect(world.survey(failed)).toEqual([]);
    world.at(40_000 + 0.75 * WAIT);
    expect(world.survey(failed)).toEqual([['a', 't']]);
  });
});

describe('time in which nobody looked', () => {
  it('is no part of a claim’s wait, which begins anew', () => {
    const world = new Awake({}, claim('a'));
    world.at(30_000);
    world.awayUntil(3_600_000);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', wait: WAIT });
    world.at(3_600_000 + WAIT);
    expect(world.withdraw('a')).toEqual(GONE);
  });

  it('is no part of a task’s life', () => {
    const world = new Awake({ entryLife: 100_000 });
    world.book.addTask(notice('t'), 0);
    world.at(50_000);
    expect(world.awayUntil(3_600_000).taskCount).toBe(1);
    world.book.addClaim(claim('a'), world.now);
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('is no part of how long a submit can be in flight', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey({ kind: 'in flight' });
    world.awayUntil(3_600_000);
    expect(world.withdraw('a', 'buy again')).toMatchObject({ kind: 'looking' });
  });
});

describe('what is remembered', () => {
  const many = (count: number): TaskNotice[] =>
    Array.from({ length: count }, (_, n) =>
      notice(`foreign-${n}`, { fields: fieldDigests({ prompt: `foreign ${n}` }) }),
    );

  it('is carried over in pages that are small, whatever comes', () => {
    const world = new Awake();
    for (const each of many(20_000)) world.book.addTask(each, 0);
    for (let n = 0; n < 3_000; n += 1)
      world.book.addClaim(claim(`c${n}`, { workflowId: `generation/${'x'.repeat(900)}${n}` }), 0);
    const carried = world.book.carryOver(0).map((page) => JSON.stringify(page).length);
    expect(Math.max(...carried)).toBeLessThan(110_000);
    expect(carried.reduce((a, b) => a + b)).toBeLessThan(1_700_000);
    expect(world.book.alarms.counts).toMatchObject({
      refused: expect.any(Number),
      evicted: expect.any(Number),
    });
    expect(world.book.alarms.news(world.book.looked).map(({ message }) => message)).toEqual([
      expect.stringContaining('forgotten early'),
      expect.stringContaining('not taken'),
    ]);
    expect(world.book.alarms.news(world.book.looked)).toEqual([]);
  });

  it('is never dropped while a claim may want it and there is anything else', () => {
    const world = new Awake({ entryBytes: 10_000 }, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey({ kind: 'in flight' });
    for (const each of many(1_000)) world.book.addTask(each, 0);
    expect(world.book.taskCount).toBeLessThan(300);
    world.at(10_000);
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('makes room for new claims by those of runs that ask a person: they come again', () => {
    const world = new Awake({ claimBytes: 2_000 }, claim('asks'), claim('asks too'));
    world.at(2 * WAIT);
    for (let n = 0; n < 20; n += 1) world.book.addClaim(claim(`c${n}`), world.now);
    expect(world.withdraw('asks')).toEqual({ kind: 'not there' });
    expect(world.withdraw('c0', 'look')).toEqual({ kind: 'nothing' });
    expect(world.withdraw('c19')).toEqual({ kind: 'not there' });
    expect(world.book.alarms.counts.refused).toBeGreaterThan(0);
  });
});

describe('a submit that was given up', () => {
  const usage = { total: 8, subscription: 8, permanent: 0 };
  const prove = (world: Awake, ownership: Ownership) => {
    const batch = world.book.nextBatch(world.now) ?? { tasks: [], claimants: [] };
    const found = Object.fromEntries(batch.tasks.map(({ taskId }) => [taskId, ownership]));
    return judge(world.book, found, batch, world.now).proofs;
  };

  it('is told to be charged when its task shows up after all', () => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT);
    world.withdraw('a');
    world.renew();
    world.at(3_600_000 * 5).addTask(notice('t'), world.now);
    expect(prove(world, { kind: 'in flight' })).toEqual([]);
    world.at(world.now + 10_000);
    expect(prove(world, { kind: 'free', usage, outcome: 'completed' })).toMatchObject([
      { claimId: 'a', taskId: 't', usage, outcome: 'completed', former: { workflowId: 'generation/a' } },
    ]);
    expect(world.book.formerCount).toBe(0);
  });

  it('is not told of by a task that somebody holds, or that an open claim gets', () => {
    const world = new Awake({}, claim('a'));
    world.at(WAIT);
    world.withdraw('a');
    world.book.addTask(notice('held'), world.now);
    expect(prove(world, { kind: 'held' })).toEqual([]);
    world.book.addClaim(claim('b'), world.now);
    world.book.addTask(notice('t'), world.now);
    expect(world.survey({ kind: 'free', usage })).toEqual([['b', 't']]);
    expect(world.book.formerCount).toBe(1);
  });
});

describe('the next look', () => {
  const MINUTE = 60_000;

  it('is ten minutes away where nothing waits, and when what is remembered expires', () => {
    const { book } = new Awake();
    expect(book.nextDue(0)).toBe(10 * MINUTE);
    const short = new Awake({ entryLife: 4 * MINUTE });
    short.book.addTask(notice('t'), 0);
    expect(short.book.nextDue(0)).toBe(4 * MINUTE);
    short.at(4 * MINUTE - 1_000);
    // What expires is dropped together: at most every thirty seconds.
    expect(short.book.nextDue(short.now)).toBe(short.now + 30_000);
    const shorter = new Awake({ entryLife: 40_000 });
    shorter.book.addTask(notice('t'), 0);
    shorter.at(39_000);
    expect(shorter.book.nextDue(39_000)).toBe(49_000);
  });

  it('is five seconds away while a claim waits, then when its run is looked up', () => {
    const world = new Awake({ claimCheck: 3 * MINUTE }, claim('a'));
    expect(world.book.nextDue(0)).toBe(5_000);
    world.at(WAIT - 1_000);
    expect(world.book.nextDue(world.now)).toBe(world.now + 5_000);
    world.at(WAIT);
    expect(world.book.nextDue(world.now)).toBe(3 * MINUTE);
    world.withdraw('a');
    expect(world.book.nextDue(world.now)).toBe(world.now + 10 * MINUTE);
  });

  it('is right now where a task may be a claim’s', () => {
    const world = new Awake({}, claim('a'));
    world.at(3_000).addTask(notice('t'), 3_000);
    expect(world.book.nextDue(3_000)).toBe(3_000);
    world.survey({ kind: 'in flight' });
    expect(world.book.nextDue(3_000)).toBeGreaterThan(3_000);
  });

  it('is right now for a task and a claim that were carried over', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.renew();
    expect(world.book.nextDue(0)).toBe(0);
    expect(world.survey()).toEqual([['a', 't']]);
  });
});

describe('runs of claims', () => {
  it('are looked up at times, all together', () => {
    const world = new Awake({ claimCheck: 120_000 });
    world.at(200_000);
    expect(world.book.claimsToCheck(world.now)).toEqual([]);
    world.book.addClaim(claim('a'), world.now);
    world.book.addClaim(claim('b'), world.now);
    expect(world.book.claimsToCheck(world.now).map(({ claimId }) => claimId)).toEqual(['a', 'b']);
    expect(world.book.claimsToCheck(world.now)).toEqual([]);
    world.at(319_000);
    expect(world.book.claimsToCheck(world.now)).toEqual([]);
    world.at(320_000);
    expect(world.book.claimsToCheck(world.now)).toHaveLength(2);
    // The time goes on from the beginning of a run.
    world.renew();
    world.at(439_000);
    expect(world.book.claimsToCheck(world.now)).toEqual([]);
    world.at(440_000);
    expect(world.book.claimsToCheck(world.now)).toHaveLength(2);
  });
});
