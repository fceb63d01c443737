import { describe, expect, it } from 'vitest';
import { containsAsSent } from '../../../src/api/contains-as-sent.ts';
import type { Claim, CreatedTask } from '../../../src/contract/unclaimed-tasks.ts';
import { GateQueue } from '../../../src/workflows/credit-gate/gate-queue.ts';
import { canBe, firstClaim } from '../../../src/workflows/unclaimed-tasks/matching.ts';

const task = (input: Record<string, unknown>, receivedAt = 10_000): CreatedTask => ({
  taskId: 't',
  webhookId: 'w',
  input,
  createdAt: null,
  receivedAt,
});
const claim = (claimId: string, body: Record<string, unknown>, since = 9_000): Claim => ({
  claimId,
  workflowId: `generation/${claimId}`,
  runId: 'r',
  model: 'image-l',
  body,
  since,
});

describe('the task of a lost answer', () => {
  it('has every field that was sent, unchanged; the API may have added others', () => {
    const normalized = { prompt: 'fox', n: 1, image_urls: ['a', 'b'], extra: { deep: [1] } };
    expect(containsAsSent(normalized, { prompt: 'fox' })).toBe(true);
    expect(containsAsSent(normalized, { prompt: 'fox', image_urls: ['a', 'b'], extra: { deep: [1] } })).toBe(
      true,
    );
    expect(containsAsSent(normalized, { prompt: 'Fox' })).toBe(false);
    expect(containsAsSent(normalized, { prompt: 'fox', image_urls: ['b', 'a'] })).toBe(false);
    expect(containsAsSent(normalized, { prompt: 'fox', seed: 1 })).toBe(false);
    expect(containsAsSent(null, { prompt: 'fox' })).toBe(false);
  });

  it('arrived after the submit began, within a few seconds of clock difference', () => {
    const body = { prompt: 'fox' };
    expect(canBe(task(body, 9_000), { body, since: 9_000 })).toBe(true);
    expect(canBe(task(body, 5_000), { body, since: 9_000 })).toBe(true);
    expect(canBe(task(body, 3_000), { body, since: 9_000 })).toBe(false);
  });

  it('goes to the claim with the most evidence, then to the oldest', () => {
    const found = task({ prompt: 'fox', n: 2 });
    const claims = [
      claim('young', { prompt: 'fox' }, 9_500),
      claim('old', { prompt: 'fox' }, 9_000),
      claim('sure', { prompt: 'fox', n: 2 }, 9_700),
      claim('other', { prompt: 'hare' }, 1),
    ];
    expect(firstClaim(found, undefined, claims)?.claimId).toBe('sure');
    expect(firstClaim(found, undefined, claims.slice(0, 2))?.claimId).toBe('old');
  });

  it('goes to nobody but its owner where that is known', () => {
    const claims = [claim('a', { prompt: 'fox' }), claim('b', { prompt: 'fox' })];
    expect(firstClaim(task({ prompt: 'fox' }), 'generation/b', claims)?.claimId).toBe('b');
    expect(firstClaim(task({ prompt: 'fox' }), 'generation/c', claims)).toBeUndefined();
  });
});

describe('the queue for credits', () => {
  const pace = { initial: 1, factor: 1, max: 1, window: 1 };
  const parked = (name: string, parkedSince: number, price?: number) => ({
    parkId: `${name}/${parkedSince}`,
    workflowId: name,
    runId: 'r',
    parkedSince,
    pace,
    ...(price === undefined ? {} : { price }),
  });
  const names = (entries: { workflowId: string }[]): string[] => entries.map(({ workflowId }) => workflowId);

  it('wakes those whose price is known, in order, while the balance covers them', () => {
    const queue = new GateQueue();
    queue.park(parked('c', 3, 8));
    queue.park(parked('a', 1, 8));
    queue.park(parked('b', 2, 8));
    expect(names(queue.release(7))).toEqual([]);
    expect(names(queue.release(17))).toEqual(['a', 'b']);
    expect(names(queue.release(17))).toEqual(['c']);
  });

  it('lets nobody overtake the one at the head', () => {
    const queue = new GateQueue();
    queue.park(parked('large', 1, 50));
    queue.park(parked('small', 2, 1));
    expect(queue.release(20)).toEqual([]);
    expect(names(queue.release(51))).toEqual(['large', 'small']);
  });

  it('wakes one of unknown price when the balance has grown, then the next, until one is refused', () => {
    const queue = new GateQueue();
    queue.park(parked('a', 1));
    queue.park(parked('b', 2));
    queue.park(parked('c', 3));
    expect(queue.release(3)).toEqual([]);
    expect(queue.release(3)).toEqual([]);
    expect(names(queue.release(19))).toEqual(['a']);
    expect(names(queue.release(11))).toEqual(['b']);
    queue.park({ ...parked('b', 2), parkId: 'b/again' });
    expect(queue.release(3)).toEqual([]);
    expect(names(queue.release(30))).toEqual(['b']);
    expect(names(queue.release(22))).toEqual(['c']);
  });

  it('does not wake a refused one again at the same balance', () => {
    const queue = new GateQueue();
    queue.park({ ...parked('a', 1, 8), baseline: 5 });
    expect(names(queue.release(10))).toEqual(['a']);
    queue.park({ ...parked('a', 1, 8), parkId: 'a/again' });
    expect(queue.release(10)).toEqual([]);
    expect(names(queue.release(11))).toEqual(['a']);
  });
});
