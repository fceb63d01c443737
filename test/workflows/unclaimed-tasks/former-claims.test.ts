import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import type { FormerClaim } from '../../../src/contract/entities/unclaimed-tasks.ts';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { FormerClaims } from '../../../src/workflows/unclaimed-tasks/former-claims.ts';
import { FOX, keptClaim, submit } from './examples.ts';

const LIFE = 1_000;
const former = (claimId: string, over: Partial<FormerClaim> = {}): FormerClaim => ({
  ...submit(claimId),
  patience: keptClaim(claimId).patience,
  goneAt: 0,
  ...over,
});
const SIZE = jsonBytes(former('a'));
const claims = (bytes = 100_000, kept: FormerClaim[] = []) => new FormerClaims({ bytes, life: LIFE }, kept);
const ids = (of: FormerClaims): string[] => [...of.values()].map(({ claimId }) => claimId);

describe('claims that were given up', () => {
  it('are remembered without what only a claim needs that is open', () => {
    const all = claims();
    all.add(keptClaim('a', { delayed: true }), 5);
    all.add(keptClaim('b', { clockOffset: -3, known: ['t'] }), 6);
    expect([...all.values()]).toStrictEqual([
      former('a', { goneAt: 5 }),
      former('b', { goneAt: 6, clockOffset: -3 }),
    ]);
  });

  it('fill their room and no more: the oldest goes first', () => {
    const all = claims(2 * SIZE, [former('a')]);
    all.add(keptClaim('b'), 0);
    expect(ids(all)).toEqual(['a', 'b']);
    all.add(keptClaim('c'), 0);
    expect(ids(all)).toEqual(['b', 'c']);
    expect(all.get('a')).toBeUndefined();
  });

  it('make room when they are taken out', () => {
    const all = claims(2 * SIZE, [former('a'), former('b')]);
    all.delete('a');
    all.delete('nobody’s');
    all.add(keptClaim('c'), 0);
    expect(ids(all)).toEqual(['b', 'c']);
    expect([...all.candidates(FOX)].map(({ claimId }) => claimId)).toEqual(['b', 'c']);
  });

  it('are there once, as late as they were given up last', () => {
    const all = claims(2 * SIZE, [former('a'), former('b')]);
    all.add(keptClaim('a'), 7);
    expect([...all.values()]).toEqual([former('b'), former('a', { goneAt: 7 })]);
    expect([...all.candidates(FOX)]).toHaveLength(2);
  });

  it('are found by what they have sent', () => {
    const all = claims(100_000, [former('a'), former('b', { fields: fieldDigests({ prompt: 'hare' }) })]);
    expect([...all.candidates(FOX)].map(({ claimId }) => claimId)).toEqual(['a']);
  });

  it('are forgotten after their life', () => {
    const all = claims(100_000, [former('a'), former('b', { goneAt: 1 })]);
    expect(all.firstExpiry).toBe(LIFE);
    all.dropExpired(LIFE - 1);
    expect(ids(all)).toEqual(['a', 'b']);
    all.dropExpired(LIFE);
    expect(ids(all)).toEqual(['b']);
    expect(all.firstExpiry).toBe(LIFE + 1);
    all.dropExpired(LIFE + 1);
    expect([all.size, all.firstExpiry]).toEqual([0, undefined]);
  });
});
