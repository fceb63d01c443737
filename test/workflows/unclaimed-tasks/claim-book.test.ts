import { describe, expect, it } from 'vitest';
import type { Claim } from '../../../src/contract/unclaimed-tasks.ts';
import { ClaimBook } from '../../../src/workflows/unclaimed-tasks/claim-book.ts';

const WAIT = 60_000;
const PATIENCE = 10_000;

const claim = (claimId: string, over: Partial<Claim> = {}): Claim => ({
  claimId,
  workflowId: `generation/${claimId}`,
  runId: claimId,
  model: 'image-l',
  body: { prompt: 'fox' },
  since: 0,
  wait: WAIT,
  ...over,
});
const notice = (taskId: string, input = { prompt: 'fox' }) => ({
  task: { taskId, webhookId: `msg_${taskId}`, input, createdAt: null, receivedAt: 0 },
});
const open = (...claims: Claim[]): ClaimBook => {
  const book = new ClaimBook({ workspace: 'default' });
  for (const each of claims) book.addClaim(each, 0);
  return book;
};
const withdraw = (book: ClaimBook, claimId: string, now: number, force = false) =>
  book.withdraw({ claimId, force, patience: PATIENCE }, now);

describe('a claim', () => {
  it('that finds nothing is gone when it is withdrawn, and was not there afterwards', () => {
    const book = open(claim('a'));
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'gone' });
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'not there' });
    expect(book.isEmpty).toBe(true);
  });

  it('stays while a task may still be its, as long as an answer can be in flight', () => {
    const book = open(claim('a'));
    book.addTask(notice('t'), WAIT - 1);
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'unsettled' });
    book.block('t', WAIT);
    expect(withdraw(book, 'a', WAIT + PATIENCE - 1)).toEqual({ kind: 'unsettled' });
    expect(withdraw(book, 'a', WAIT + PATIENCE)).toEqual({ kind: 'gone' });
  });

  it('is gone at once when it is settled otherwise', () => {
    const book = open(claim('a'));
    book.addTask(notice('t'), 0);
    book.holdUp(0);
    expect(withdraw(book, 'a', 1, true)).toEqual({ kind: 'gone' });
  });

  it('gets the same answer however often it is withdrawn or repeated after a grant', () => {
    const book = open(claim('a'));
    book.addTask(notice('t'), 0);
    book.grant('t', 'a');
    expect(book.addClaim(claim('a'), 1)).toBe(false);
    expect(book.addTask(notice('t'), 1)).toBe(false);
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'granted', taskId: 't' });
    expect(new ClaimBook(book.state).withdraw({ claimId: 'a', force: false, patience: 0 }, WAIT)).toEqual({
      kind: 'granted',
      taskId: 't',
    });
  });

  it('whose generation was gone leaves its task to the next when the grant is taken back', () => {
    const book = open(claim('a'), claim('b'));
    book.addTask(notice('t'), 0);
    book.grant('t', 'a')();
    expect(book.has('t')).toBe(true);
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'not there' });
    expect(book.wanted(WAIT).map(({ task }) => task.taskId)).toEqual(['t']);
  });
});

describe('held-up events', () => {
  it('give every open claim its whole wait again', () => {
    const book = open(claim('a'));
    book.holdUp(50_000);
    expect(withdraw(book, 'a', WAIT)).toEqual({ kind: 'held up', wait: 50_000 });
    expect(withdraw(book, 'a', 50_000 + WAIT)).toEqual({ kind: 'gone' });
  });

  it('are nothing to a claim that comes after them', () => {
    const book = open();
    book.holdUp(50_000);
    book.addClaim(claim('a'), 51_000);
    expect(withdraw(book, 'a', 51_000 + WAIT)).toEqual({ kind: 'gone' });
  });

  it('hold a claim up for ten waits in all, however often they are told of', () => {
    const book = open(claim('a'));
    for (let at = 1_000; at < 20 * WAIT; at += 1_000) book.holdUp(at);
    expect(withdraw(book, 'a', 10 * WAIT - 1)).toEqual({ kind: 'held up', wait: 1 });
    expect(withdraw(book, 'a', 10 * WAIT)).toEqual({ kind: 'gone' });
  });

  it('are remembered over continue-as-new', () => {
    const book = open(claim('a'));
    book.holdUp(50_000);
    expect(withdraw(new ClaimBook(book.state), 'a', WAIT)).toEqual({ kind: 'held up', wait: 50_000 });
  });

  it('make a failed task wait as well: a better one may come', () => {
    const book = open(claim('a'));
    book.addTask(notice('t'), 0);
    for (const entry of book.entries) entry.isSpent = true;
    book.holdUp(40_000);
    expect(book.wanted(0.75 * WAIT)).toEqual([]);
    expect(book.wanted(40_000 + 0.75 * WAIT)).toHaveLength(1);
    expect(withdraw(book, 'a', 40_000 + WAIT)).toEqual({ kind: 'granted', taskId: 't' });
  });
});
