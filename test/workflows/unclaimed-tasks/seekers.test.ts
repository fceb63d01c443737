import { describe, expect, it } from 'vitest';
import { fieldDigests } from '../../../src/api/input/field-digests.ts';
import { FormerClaims } from '../../../src/workflows/unclaimed-tasks/former-claims.ts';
import { KnownModels } from '../../../src/workflows/unclaimed-tasks/known-models.ts';
import { Seekers } from '../../../src/workflows/unclaimed-tasks/seekers.ts';
import { entry, keptClaim } from './examples.ts';

const SHAPES = { 'image-l': { family: 'image' as const, takes: { names: ['prompt', 'n'], open: false } } };
const seekers = (...claims: ReturnType<typeof keptClaim>[]): Seekers => {
  const all = new Seekers(new FormerClaims({ bytes: 10_000, life: 1_000 }, []), new KnownModels(SHAPES));
  for (const claim of claims) all.open.put(claim);
  return all;
};
const FAILED = entry('t', { endedWithoutResult: true });
const chosen = (all: Seekers, task = FAILED, looked = 0): string => {
  const choice = all.choose(task, looked);
  return choice.kind === 'one' ? choice.search.claimId : choice.kind;
};

describe('a task', () => {
  it('is wanted by those whom it fits, open or given up', () => {
    const all = seekers(keptClaim('a'));
    const [image, video] = [entry('t', { family: 'image' }), entry('t', { family: 'video' })];
    expect([all.want(image), all.want(video), all.of(image), all.of(video)]).toEqual([
      true,
      false,
      [keptClaim('a')],
      [],
    ]);
    all.former.add(keptClaim('a'), 0);
    all.open.delete('a');
    expect([all.want(image), all.formerOf(image)?.claimId]).toEqual([true, 'a']);
    expect([all.want(video), all.formerOf(video)]).toEqual([false, undefined]);
  });

  it('that has failed is taken first by the one who has waited for three quarters of its wait', () => {
    const all = seekers(keptClaim('b', { wait: 80_000 }), keptClaim('a', { wait: 40_000 }));
    expect([all.untilTaken(FAILED, 0), chosen(all)]).toEqual([30_000, 'nobody']);
    expect([all.untilTaken(FAILED, 29_999.5), chosen(all, FAILED, 29_999)]).toEqual([1, 'nobody']);
    expect([all.untilTaken(FAILED, 30_000), chosen(all, FAILED, 30_000)]).toEqual([undefined, 'a']);
  });

  it('that has failed is taken by one that may wait no longer', () => {
    const all = seekers(keptClaim('a', { looksUntilAtMost: 10 }));
    expect([all.untilTaken(FAILED, 0), all.untilTaken(FAILED, 10)]).toEqual([10, undefined]);
  });

  it('that has failed is its owner’s at once, where that is known', () => {
    const all = seekers(keptClaim('a'));
    const owned = { ...FAILED, owner: 'generation/a' };
    expect([all.untilTaken(owned, 0), chosen(all, owned)]).toEqual([undefined, 'a']);
  });

  it('that nobody wants is waited for by nobody', () => {
    const all = seekers(keptClaim('a', { fields: fieldDigests({ prompt: 'hare' }) }));
    expect([all.untilTaken(FAILED, 0), all.patience(FAILED)]).toEqual([undefined, undefined]);
  });

  it('may be that of an equal submit for as long as the most patient says', () => {
    const all = seekers(keptClaim('a', { patience: 3 }), keptClaim('b', { patience: 9 }), keptClaim('c'));
    expect(all.patience(FAILED)).toBe(10_000);
    all.open.delete('c');
    expect(all.patience(FAILED)).toBe(9);
  });
});
