import { describe, expect, it } from 'vitest';
import { patience } from '../patience.ts';
import { exploreWithout, SEEN_EACH_TIME } from './without.ts';

describe('the explorer', () => {
  it.each(SEEN_EACH_TIME)(
    'sees what the sources do without %s',
    { timeout: patience(900_000) },
    async (name) => {
      // A busy machine may be too late for what the cell does.
      let seen = 0;
      for (let tries = 0; tries < 3 && seen !== 1; tries += 1) seen = await exploreWithout(name);
      expect(seen).toBe(1);
    },
  );
});
