import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { Ownership, TaskName } from '../../../src/contract/entities/task-notices.ts';
import type { UnclaimedTasksLimits } from '../../../src/contract/entities/unclaimed-tasks.ts';
import type { ReadClaim } from '../../../src/workflows/unclaimed-tasks/read-messages.ts';
import type { Batch, Proof } from '../../../src/workflows/unclaimed-tasks/surveys.ts';
import { Awake, claim, judge, notice, ours, PATIENCE, WAIT } from './awake.ts';

const MINUTE = 60_000;
const HARE = fieldDigests({ prompt: 'hare' });
const FAILED: Ownership = { kind: 'free', endedWithoutResult: true };
const video = (claimId: string): ReadClaim =>
  claim(claimId, {
    model: 'video-g',
    shape: { family: 'video', takes: { names: ['prompt', 'n', 'duration'], open: false } },
  });
const batchOf = (world: Awake): Batch => {
  const batch = world.book.nextBatch(world.now);
  if (batch === undefined) throw new Error('nothing is looked at');
  return batch;
};
/** Whether nothing is looked at before the next time that the book looks whether anybody is there. */
const nothingIsDue = ({ book, now }: Awake): boolean =>
  book.nextDue(now) >= now + 5_000 && book.nextBatch(now) === undefined;

describe('what is looked at', () => {
  it('is each task that somebody may get, with all whose claims for such a one are in', () => {
    const younger = claim('younger', { since: 60_000 });
    const world = new Awake({}, claim('a'), claim('b'), claim('c', { fields: HARE }), claim('d'), younger);
    world.book.addTask(notice('t'), 0);
    world.book.addTask(notice('u'), 0);
    world.withdraw('d', 'settled');
    const { tasks, claimants } = batchOf(world);
    expect(tasks.map(({ taskId }) => taskId)).toEqual(['t', 'u']);
    expect(claimants).toEqual(['a', 'b', 'younger']);
  });

  it('is a task whose owner nobody knows when visibility shows who may be about to hold it', () => {
    const world = new Awake({ visibilityLag: 4_000 }, claim('a'));
    world.at(10_000).addTask(notice('t', { arrivedAt: 8_000 }), 10_000);
    world.book.addTask(notice('owned', { arrivedAt: 8_000, owner: 'generation/a' }), 10_000);
    expect(world.survey()).toEqual([['a', 'owned']]);
    world.book.addClaim(claim('b'), 10_000);
    world.renew();
    expect([world.survey(), world.book.nextDue(world.now)]).toEqual([[], 12_000]);
    expect(world.withdraw('b')).toMatchObject({ kind: 'looking', lasting: false });
    world.at(12_000);
    expect(world.survey()).toEqual([['b', 't']]);
    // Nobody hears of it before it comes.
    world.book.addTask(notice('u', { arrivedAt: 1e14 }), 12_000);
    world.book.addClaim(claim('c'), 12_000);
    expect(world.book.nextDue(world.now)).toBe(16_000);
  });

  it('is no task that nobody wants, also after it was carried over', () => {
    const world = new Awake();
    world.book.addTask(notice('t'), 0);
    expect(nothingIsDue(world)).toBe(true);
    world.book.addClaim(claim('a', { fields: HARE }), 0);
    expect(nothingIsDue(world)).toBe(true);
    world.renew();
    expect(nothingIsDue(world)).toBe(true);
  });

  it('is no task that nobody wants any more', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.withdraw('a', 'settled');
    expect(world.book.nextBatch(0)).toBeUndefined();
    expect(nothingIsDue(world)).toBe(true);
  });

  it('is no task that somebody holds, or that is no proof for anybody', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('held'), 0);
    world.survey({ kind: 'held' });
    expect(world.book.taskCount).toBe(0);
    expect(nothingIsDue(world)).toBe(true);
    world.book.addTask(notice('another one’s'), 0);
    world.survey({ kind: 'free', fields: HARE });
    expect(world.book.taskCount).toBe(1);
    expect(nothingIsDue(world)).toBe(true);
  });

  it('is a task that has failed when somebody would take it', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey(FAILED);
    expect(nothingIsDue(world)).toBe(true);
    world.at(44_000);
    expect(world.book.nextDue(44_000)).toBe(45_000);
    world.book.delay(44_000);
    world.at(45_000);
    expect(world.book.nextBatch(45_000)).toBeUndefined();
    expect(world.book.nextDue(45_000)).toBe(50_000);
    world.at(88_000);
    expect(world.book.nextDue(88_000)).toBe(89_000);
    world.at(89_000);
    expect(world.survey(FAILED)).toEqual([['a', 't']]);
  });

  it('is what nobody could choose between, as soon as a claim has got another task', () => {
    const world = new Awake({}, claim('image'), video('video'));
    world.book.addTask(notice('alike'), 0);
    world.survey();
    world.book.addTask(notice('t', { fields: fieldDigests({ prompt: 'fox', duration: 5 }) }), 0);
    expect(world.survey()).toEqual([['video', 't']]);
    expect(world.survey()).toEqual([['image', 'alike']]);
  });
});

describe('a task with a field of another model, where nobody knows yet what the model’s own carry', () => {
  const WITH_DURATION = { fields: fieldDigests({ prompt: 'fox', duration: 5 }) };
  const unseen = (claimId: string): ReadClaim =>
    claim(claimId, {
      shape: {
        family: 'image',
        takes: { names: ['prompt'], open: false, foreign: ['duration'], unseen: true },
      },
    });
  const image = (claimId: string): ReadClaim =>
    claim(claimId, {
      shape: { family: 'image', takes: { names: ['prompt'], open: false, foreign: ['duration'] } },
    });

  it('is the last resort of its claim: until then somebody else may claim it', () => {
    const world = new Awake({}, unseen('image'));
    world.book.addTask(notice('t', WITH_DURATION), 0);
    expect(world.survey()).toEqual([]);
    expect(nothingIsDue(world)).toBe(true);
    world.at(0.75 * WAIT - 1_000);
    expect(world.withdraw('image', 'buy again')).toMatchObject({ kind: 'looking', lasting: false });
    world.at(0.75 * WAIT);
    expect(world.survey()).toEqual([['image', 't']]);
    const two = new Awake({}, unseen('image'));
    two.book.addTask(notice('t', WITH_DURATION), 0);
    two.survey();
    two.book.addClaim(video('video'), 0);
    expect(two.survey()).toEqual([['video', 't']]);
  });

  it('is no proof of a submit that was given up', () => {
    const world = new Awake({}, unseen('image'));
    world.withdraw('image', 'abandon');
    world.book.addTask(notice('t', WITH_DURATION), 0);
    expect(nothingIsDue(world)).toBe(true);
  });

  it('goes to its owner at once, and from then on the model is known to carry it', () => {
    const usage = { total: 8, subscription: 8, permanent: 0 };
    const world = new Awake({}, unseen('a'), unseen('b'));
    world.book.addTask(notice('t', { ...WITH_DURATION, owner: 'generation/a' }), 0);
    expect(world.survey({ kind: 'free', usage })).toEqual([['a', 't']]);
    world.renew();
    world.book.addClaim(image('c'), 0);
    world.book.addTask(notice('u', WITH_DURATION), 0);
    expect(world.survey({ kind: 'free', usage })).toHaveLength(1);
  });

  it('is known to carry what a task of the model carries that somebody holds', () => {
    const world = new Awake({}, unseen('a'));
    world.book.addTask(notice('t', WITH_DURATION), 0);
    world.survey({ kind: 'held', model: 'image-l' });
    world.book.addTask(notice('u', WITH_DURATION), 0);
    expect(world.survey()).toEqual([['a', 'u']]);
  });

  it('is not its any more once the model’s own are known not to carry it', () => {
    const world = new Awake({}, unseen('a'));
    world.book.addTask(notice('t', { owner: 'generation/x' }), 0);
    world.book.addTask(notice('held'), 0);
    world.survey({ kind: 'held', model: 'image-l' });
    world.book.addTask(notice('u', WITH_DURATION), 0);
    expect(nothingIsDue(world)).toBe(true);
  });
});

describe('a task', () => {
  it('that was granted is not put in again', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey();
    world.book.addTask(notice('t'), 0);
    expect(world.book.taskCount).toBe(0);
  });

  it('that a survey did not tell of waits for the next one', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(judge(world.book, {}, batchOf(world), 0)).toEqual({ grants: [], proofs: [] });
    expect(world.withdraw('a')).toMatchObject({
      kind: 'looking',
      lasting: true,
      why: 'task t may be this one, but its record cannot be read: it was not looked at',
    });
    world.at(1_000);
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('that was given away once is nobody else’s', () => {
    const world = new Awake({}, claim('a'), claim('b', { since: 1 }));
    world.book.addTask(notice('t'), 0);
    world.survey(FAILED);
    world.at(0.75 * WAIT);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    expect(world.survey(FAILED)).toEqual([['b', 't']]);
    expect(world.withdraw('a')).toEqual({ kind: 'gone' });
  });

  it.each<[string, Ownership, number]>([
    ['that somebody holds', { kind: 'held' }, 0],
    ['whose record cannot be read', { kind: 'unreadable', reason: 'HTTP 503' }, 1],
  ])('%s is not granted to its owner', (_what, ownership, left) => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t', { owner: 'generation/a' }), 0);
    expect(world.survey(ownership)).toEqual([]);
    expect(world.book.taskCount).toBe(left);
  });

  it('whose record told by what it was made is that one’s, also where it tells no more', () => {
    const world = new Awake({}, claim('image'));
    world.book.addTask(notice('t'), 0);
    world.survey({ ...FAILED, family: 'image' });
    world.book.addClaim(video('video'), 0);
    world.at(0.75 * WAIT);
    expect(world.survey(FAILED)).toEqual([['image', 't']]);
  });

  it('is taken for free only when it was blocked for the longest that a submit can take', () => {
    const unsure: Ownership = { kind: 'in flight', unverified: true };
    const world = new Awake({}, claim('a'));
    world.at(7_000).addTask(notice('t'), 7_000);
    expect(world.survey(unsure)).toEqual([]);
    world.at(7_000 + PATIENCE - 1);
    expect(world.survey(unsure)).toEqual([]);
    world.at(7_000 + 2 * PATIENCE);
    expect(world.survey(unsure)).toEqual([['a', 't']]);
    const exact = new Awake({}, claim('a'));
    exact.at(7_000).addTask(notice('t'), 7_000);
    exact.survey(unsure);
    exact.at(7_000 + PATIENCE);
    expect(exact.survey(unsure)).toEqual([['a', 't']]);
  });
});

describe('a task that is forgotten', () => {
  const world = (limits: Partial<UnclaimedTasksLimits>): Awake => new Awake(limits, claim('a', { wait: 0 }));

  it('after its life is not looked at', () => {
    const short = world({ entryLife: 1_000 });
    short.book.addTask(notice('t'), 0);
    short.at(1_000);
    expect(short.book.taskCount).toBe(0);
    expect(short.book.nextDue(1_000)).toBeGreaterThan(1_000);
  });

  it('after its life is granted to nobody by a survey that is under way', () => {
    const short = world({ entryLife: 1_000 });
    short.book.addTask(notice('t'), 0);
    const batch = batchOf(short);
    short.at(1_000);
    expect(judge(short.book, { t: { kind: 'free' } }, batch, 1_000)).toEqual({ grants: [], proofs: [] });
  });

  it('for lack of room is not looked at', () => {
    const small = world({ entryBytes: 10 });
    small.book.addTask(notice('t'), 0);
    expect([small.book.taskCount, small.book.alarms.counts.evicted]).toEqual([0, 1]);
    const full = world({ entryBytes: 100 });
    full.book.addTask(notice('t'), 0);
    full.survey({ kind: 'in flight' });
    full.at(500);
    full.survey({ kind: 'in flight' });
    full.book.addTask(notice('u'), 500);
    full.survey({ kind: 'in flight' });
    // Both are wanted, and one needs more room than before.
    full.book.addTask(notice('u', { owner: 'generation/a' }), 500);
    expect([full.book.taskCount, full.book.alarms.counts.evicted]).toEqual([1, 1]);
    full.at(1_000);
    full.survey({ kind: 'held' });
    full.book.addTask(notice('t'), 1_000);
    expect([full.book.taskCount, full.book.nextDue(1_000)]).toEqual([1, 1_000]);
  });

  it('within two minutes is told of', () => {
    const full = new Awake({ entryBytes: 60 });
    full.book.addTask(notice('t'), 0);
    full.at(2 * MINUTE - 1_000).addTask(notice('u'), full.now);
    expect([full.book.taskCount, full.book.alarms.counts.evicted]).toEqual([1, 1]);
    full.at(4 * MINUTE).addTask(notice('v'), full.now);
    expect([full.book.taskCount, full.book.alarms.counts.evicted]).toEqual([1, 1]);
  });
});

function nameFor(claimId: string): TaskName {
  const { workflowId, runId, firstRunId } = claim(claimId);
  return { taskId: 't', workflowId, runId, firstRunId };
}

describe('a task whose name is another deployment’s', () => {
  const usage = { total: 8, subscription: 8, permanent: 0 };
  const free: Ownership = { kind: 'free', usage };
  const named = nameFor('a');

  it('is asked about before it is given away', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    expect(batch.tasks.map((task) => world.book.isLookedFor(task))).toEqual([true]);
    expect(world.book.toTake({ t: { kind: 'in flight' } }, batch)).toEqual([]);
    expect(world.book.toTake({ t: { kind: 'held' } }, batch)).toEqual([]);
    expect(world.book.toTake({ t: free }, batch)).toEqual([named]);
    world.book.took([named], ours([named]));
    world.renew();
    expect(world.book.judge({ t: free }, batch, 0).grants).toHaveLength(1);
  });

  it('is left to it where the claim that it fits gets another one', () => {
    const world = new Awake({}, claim('a'));
    for (const taskId of ['t', 'u', 'v']) world.book.addTask(notice(taskId), 0);
    const batch = batchOf(world);
    const found = { t: free, u: free, v: free };
    expect(world.book.toTake(found, batch)).toEqual([named]);
    world.book.took([named], ours([named]));
    expect(world.book.judge(found, batch, 0).grants).toMatchObject([{ task: { taskId: 't' } }]);
    expect(world.book.unheld).toEqual(['u', 'v']);
    expect(world.book.nextBatch(0)).toBeUndefined();
  });

  it('is asked about where that other one was not ours', () => {
    const world = new Awake({}, claim('a'));
    for (const taskId of ['t', 'u']) world.book.addTask(notice(taskId), 0);
    const batch = batchOf(world);
    const found = { t: { kind: 'held' }, u: free } as const;
    expect(world.book.judge(found, batch, 0)).toEqual({ grants: [], proofs: [] });
    expect(world.book.toTake({ u: free }, batchOf(world))).toEqual([{ ...named, taskId: 'u' }]);
  });

  it('is waited for where another run has it, but not without end, and is asked about again', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t', { owner: claim('a').workflowId }), 0);
    const { workflowId } = claim('b');
    const look = (): void => {
      const kept = world.book.took(
        [named],
        [{ taskId: 't', kind: 'other', workflowId, taskQueue: 'another' }],
      );
      const given = world.book.judge({ t: free, ...kept }, batchOf(world), world.now);
      expect(given).toEqual({ grants: [], proofs: [] });
    };
    look();
    world.at(PATIENCE - 1);
    expect(world.withdraw('a', 'look')).toMatchObject({
      kind: 'looking',
      why: expect.stringContaining(`it is kept for ${workflowId}`) as string,
    });
    world.at(PATIENCE);
    look();
    expect(world.withdraw('a', 'look')).toMatchObject({ kind: 'nothing' });
    world.at(PATIENCE + 5_000);
    expect(world.survey(free)).toEqual([['a', 't']]);
  });

  it('is given to the run that has its name, although a better claim came meanwhile', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    expect(world.book.toTake({ t: free }, batch)).toEqual([named]);
    world.book.addClaim(claim('b', { since: 1 }), 0);
    world.book.took([named], ours([named]));
    expect(world.book.judge({ t: free }, batch, 0).grants).toMatchObject([{ claim: { claimId: 'a' } }]);
  });

  it('is given to a claim here that has it, although another one was asked for: its answer was lost', () => {
    const world = new Awake({}, claim('a'), claim('b', { since: 1 }));
    world.book.addTask(notice('t'), 0);
    const asked = world.book.toTake({ t: free }, batchOf(world));
    expect(asked).toEqual([nameFor('b')]);
    const other = { taskId: 't', kind: 'other', workflowId: 'generation/a', taskQueue: 'here' } as const;
    world.book.took(asked, [other]);
    world.book.addTask(notice('t'), 0);
    expect(world.survey(free)).toEqual([['a', 't']]);
  });

  it('is given to the next run of the one that has it', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    world.book.took(world.book.toTake({ t: free }, batch), ours([named]));
    world.book.addClaim(claim('b', { since: 1 }), 0);
    world.book.checked('a', { runId: 'reset' }, 0);
    expect(world.book.toTake({ t: free }, batch)).toEqual([{ ...named, runId: 'reset' }]);
    expect(world.book.judge({ t: free }, batch, 0).grants).toMatchObject([{ claim: { runId: 'reset' } }]);
  });

  it('proves nothing while anybody looks for it, who may get another one', () => {
    const world = new Awake({}, claim('f'));
    world.withdraw('f');
    world.book.addClaim(claim('a'), 0);
    for (const taskId of ['t', 'u']) world.book.addTask(notice(taskId), 0);
    const batch = batchOf(world);
    const found = { t: free, u: free };
    expect(world.book.toTake(found, batch)).toEqual([named]);
    world.book.took([named], ours([named]));
    expect(world.book.judge(found, batch, 0)).toMatchObject({
      grants: [{ task: { taskId: 't' } }],
      proofs: [],
    });
    // From here on it is looked at by whether anybody else may need it.
    expect(batchOf(world).tasks.map((task) => world.book.isLookedFor(task))).toEqual([false]);
  });

  it('keeps a claim that was given up looking no longer than an open one', () => {
    const world = new Awake({}, claim('f'));
    world.withdraw('f');
    world.book.addTask(notice('t'), 0);
    const kept: Ownership = { kind: 'in flight', keptFor: 'generation/x' };
    world.survey(kept);
    expect(world.book.lookingFor('f', world.now)).toMatchObject({ kind: 'looking' });
    world.at(PATIENCE);
    world.survey(kept);
    expect(world.book.lookingFor('f', world.now)).toBeNull();
  });

  it('that it was granted leaves a claim to look on: once it says so it is put in again', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.survey(free)).toEqual([['a', 't']]);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    world.book.addClaim(claim('a'), 0);
    world.book.addTask(notice('u'), 0);
    expect(world.survey(free)).toEqual([]);
    const said = { claimId: 'a', as: 'give up', notOurs: 't' } as const;
    expect(world.book.withdraw(said, 0)).toEqual({ kind: 'not there' });
    world.book.addClaim(claim('a'), 0);
    expect(world.survey(free)).toEqual([['a', 'u']]);
    expect(world.book.withdraw(said, 0)).toEqual({ kind: 'granted', taskId: 'u' });
  });

  it('is not waited for where it has failed: whoever has its name has had it', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    world.survey(FAILED);
    world.at(0.75 * WAIT);
    const batch = batchOf(world);
    const other = { taskId: 't', kind: 'other', workflowId: 'generation/b', taskQueue: 'another' } as const;
    const kept = world.book.took(world.book.toTake({ t: FAILED }, batch), [other]);
    world.book.judge({ t: FAILED, ...kept }, batch, world.now);
    expect(world.withdraw('a')).toEqual({ kind: 'gone' });
  });

  it('is for one run alone: another one gets the task by a name of its own', () => {
    const world = new Awake({}, claim('a'), claim('b', { since: 1 }));
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    const [name] = world.book.toTake({ t: free }, batch);
    expect(name).toEqual(nameFor('b'));
    // It gets on while the name is taken for it.
    world.withdraw('b', 'settled');
    world.book.took([nameFor('b')], ours([nameFor('b')]));
    expect(world.book.judge({ t: free }, batch, 0)).toEqual({ grants: [], proofs: [] });
    expect(world.book.toTake({ t: free }, batchOf(world))).toEqual([named]);
  });

  it('that could not be taken waits, and no other task with it', () => {
    const world = new Awake({}, claim('a'), claim('b', { fields: HARE }));
    world.book.addTask(notice('t'), 0);
    world.book.addTask(notice('u', { fields: HARE }), 0);
    const batch = batchOf(world);
    const unread = world.book.took(
      [named, { ...nameFor('b'), taskId: 'u' }],
      [
        { taskId: 't', kind: 'unreadable', reason: 'too long' },
        { taskId: 'u', kind: 'ours' },
      ],
    );
    const { grants } = world.book.judge({ t: free, u: free, ...unread }, batch, 0);
    expect(grants).toMatchObject([{ claim: { claimId: 'b' }, task: { taskId: 'u' } }]);
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: true });
  });

  it('is given to nobody, and proves nothing', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.book.judge({ t: { kind: 'held' } }, batchOf(world), 0).grants).toEqual([]);
    expect(world.withdraw('a')).toEqual({ kind: 'gone' });
  });

  it('is looked at again where somebody may have it only since its name was not asked for', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    expect(world.book.judge({ t: free }, batchOf(world), 0)).toEqual({ grants: [], proofs: [] });
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    expect(world.survey(free)).toEqual([['a', 't']]);
  });

  it('is no proof before it is ours', () => {
    const world = new Awake({}, claim('a'));
    world.withdraw('a', 'abandon');
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    expect(batch.tasks.map((task) => world.book.isLookedFor(task))).toEqual([false]);
    expect(world.book.judge({ t: free }, batch, 0).proofs).toEqual([]);
    expect(world.book.toTake({ t: free }, batch)).toEqual([named]);
    // Nobody can tell what it costs.
    expect(world.book.toTake({ t: { kind: 'free' } }, batch)).toEqual([]);
  });

  it('is not asked about where it has failed, before nothing better can come', () => {
    const world = new Awake({}, claim('a'));
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    expect(world.book.toTake({ t: FAILED }, batch)).toEqual([]);
    world.book.judge({ t: FAILED }, batch, 0);
    // However late it is looked at: whoever gives up has nothing better.
    expect(world.withdraw('a')).toMatchObject({ kind: 'looking', lasting: false });
    expect(world.survey(FAILED)).toEqual([['a', 't']]);
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
  });
});

describe('the proof that a submit was charged', () => {
  const usage = { total: 8, subscription: 8, permanent: 0 };
  const proofs = (ownership: Ownership): { proofs: Proof[]; world: Awake } => {
    const world = new Awake({}, claim('a'));
    world.withdraw('a', 'abandon');
    world.book.addTask(notice('t'), 0);
    const batch = batchOf(world);
    return { proofs: judge(world.book, { t: ownership }, batch, 0).proofs, world };
  };

  it('tells the price, and how the task has ended only where it has', () => {
    const { proofs: running } = proofs({ kind: 'free', usage });
    expect(running).toStrictEqual([{ former: running[0]?.former, claimId: 'a', taskId: 't', usage }]);
    const { proofs: ended } = proofs({ kind: 'free', usage, outcome: 'failed' });
    expect(ended).toMatchObject([{ claimId: 'a', outcome: 'failed' }]);
  });

  it('is told to the run that has its name, where another task has not been told to the first one', () => {
    const world = new Awake({}, claim('a'), claim('b'));
    for (const claimId of ['a', 'b']) world.withdraw(claimId, 'abandon');
    for (const taskId of ['t', 'u']) world.book.addTask(notice(taskId), 0);
    const batch = batchOf(world);
    const free: Ownership = { kind: 'free', usage };
    const [first, second] = world.book.toTake({ t: free, u: free }, batch);
    if (first === undefined || second === undefined) throw new Error('two names are to be taken');
    const kept = world.book.took(
      [first, second],
      [{ taskId: 't', kind: 'unreadable', reason: 'too long' }, ...ours([second])],
    );
    const told = world.book.judge({ t: free, u: free, ...kept }, batch, 0).proofs;
    expect(told).toMatchObject([{ taskId: 'u', former: { runId: second.runId } }]);
  });

  it('is told once, and the task is kept for the run that goes on', () => {
    const { proofs: told, world } = proofs({ kind: 'free', usage });
    expect(told).toHaveLength(1);
    world.book.addClaim(claim('b'), 0);
    world.withdraw('b', 'abandon');
    world.renew();
    world.book.addTask(notice('t'), 0);
    expect(world.book.nextBatch(0)).toBeUndefined();
    world.book.addClaim(claim('a'), 0);
    expect(world.survey()).toEqual([['a', 't']]);
  });

  it('that a live run has taken is a grant: its Reset gets the same, and so does the next purchase of its id', () => {
    const { proofs: told, world } = proofs({ kind: 'free', usage });
    for (const proof of told) world.book.told(proof, true);
    world.renew();
    expect(world.withdraw('a')).toEqual({ kind: 'granted', taskId: 't' });
    world.book.addClaim(claim('a'), 0);
    world.book.addClaim(claim('other'), 0);
    expect(world.book.nextBatch(0)).toBeUndefined();
    world.book.addClaim(claim('next', { workflowId: 'generation/a' }), 0);
    expect(world.survey()).toEqual([['next', 't']]);
  });

  it('is waited for by the run that has given the submit up, from its task’s creation until it is told', () => {
    const { proofs: told, world } = proofs({ kind: 'free', usage });
    expect(world.book.lookingFor('a', 0)).toMatchObject({
      lasting: false,
      why: 'task t is the one: its run is being told',
    });
    for (const proof of told) world.book.told(proof, false);
    expect(world.book.lookingFor('a', 0)).toBeNull();
  });

  it('is none where nobody tells the price: the submit stays unknown', () => {
    const { proofs: none, world } = proofs({ kind: 'free' });
    expect(none).toEqual([]);
    expect([world.book.formerCount, world.book.taskCount]).toEqual([1, 1]);
    expect(nothingIsDue(world)).toBe(true);
  });

  it('is none where the task turns out to be another one’s', () => {
    const { proofs: none, world } = proofs({ kind: 'free', usage, fields: HARE });
    expect(none).toEqual([]);
    expect([world.book.formerCount, world.book.taskCount]).toEqual([1, 1]);
  });
});
