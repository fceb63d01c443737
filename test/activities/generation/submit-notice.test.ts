import { describe, expect, it } from 'vitest';
import { isToTell, type Shown } from '../../../src/activities/generation/submit-notice.ts';

const NOTHING: Shown = { by: null, reason: null, at: 0, times: 0 };
const TRY = 4_000;
const HOUR = 3_600_000;
const MONTH = 30 * 24 * HOUR;

/** What a run shows whose tries, one each four seconds, are held up by these in turn. */
function shownAfter(
  held: readonly Shown['by'][],
  lasting: number,
  from = NOTHING,
  reasonAt = (_tries: number): string => 'why',
): Shown {
  let shown = from;
  for (let now = from.at, tries = 0; now < from.at + lasting; now += TRY, tries += 1) {
    const by = held[tries % held.length] ?? null;
    const reason = by === null ? null : reasonAt(tries);
    const holdUp = by === null || reason === null ? undefined : { by, reason };
    if (isToTell(holdUp, shown, now)) shown = { by, reason, at: now, times: shown.times + 1 };
  }
  return shown;
}

describe('what holds a submit up is shown', () => {
  it('at once where it needs a look, whatever was told before', () => {
    const before = { ...shownAfter(['budget', null], HOUR), by: 'budget' } as const;
    expect(shownAfter(['api'], TRY, before)).toMatchObject({ by: 'api', times: before.times + 1 });
  });

  it('no longer than it does, the first time', () => {
    expect(shownAfter(['budget', null], 2 * TRY)).toMatchObject({ by: null, times: 2 });
    expect(shownAfter(['api', 'budget'], 2 * TRY)).toMatchObject({ by: 'budget', times: 2 });
  });

  it('anew where others hold the credits, once the words have stood for a minute, and seldom', () => {
    const others = (tries: number): string => `held by ${tries}`;
    expect(shownAfter(['budget'], 60_000, NOTHING, others)).toMatchObject({ times: 1, reason: 'held by 0' });
    expect(shownAfter(['budget'], 60_001, NOTHING, others)).toMatchObject({ times: 2, reason: 'held by 15' });
    expect(shownAfter(['budget'], MONTH, NOTHING, others).times).toBeLessThan(60);
    expect(shownAfter(['budget'], MONTH).times).toBe(1);
  });

  it.each([[['budget', 'cap']], [['budget', null]], [['cap', null, 'budget', 'api', null, 'api']]] as const)(
    'by few notices where it changes with each try of a month: %j',
    (held) => {
      const changing = shownAfter(held, MONTH);
      expect(changing.times).toBeLessThan(60);
      // Where nothing holds it up any more, that is shown in the end.
      expect(shownAfter([null], 2 * MONTH, { ...changing, at: MONTH }).by).toBeNull();
    },
  );
});
