import { describe, expect, it } from 'vitest';
import { exploreWithout, SEEN_EACH_TIME } from './without.ts';

describe('the explorer', () => {
  it.each(SEEN_EACH_TIME)('sees what the sources do without %s', { timeout: 900_000 }, async (name) => {
    expect(await exploreWithout(name)).toBe(1);
  });
});
