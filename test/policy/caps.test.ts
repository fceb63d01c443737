import { describe, expect, it } from 'vitest';
import { type Cap, capsOn } from '../../src/policy/caps.ts';
import { periodEnd, periodOf } from '../../src/policy/periods.ts';

const cap = (name: string, of: Partial<Cap>): Cap => ({
  name,
  per: 'day',
  credits: 1,
  action: 'fail',
  ...of,
});
const names = (caps: readonly Cap[]): string[] => caps.map(({ name }) => name);

describe('caps', () => {
  it('count what is of their workspace, model and all of their tags', () => {
    const caps = [
      cap('all', {}),
      cap('studio', { workspace: 'studio' }),
      cap('image', { model: 'image-l' }),
      cap('video', { model: 'video-f' }),
      cap('film', { tag: { team: 'film', stage: 'draft' } }),
    ];
    const of = { workspace: 'default', model: 'image-l', tags: { team: 'film' } };
    expect(names(capsOn(caps, of))).toEqual(['all', 'image']);
    expect(names(capsOn(caps, { ...of, tags: { team: 'film', stage: 'draft', by: 'ann' } }))).toEqual([
      'all',
      'image',
      'film',
    ]);
    expect(names(capsOn(caps, { ...of, tags: { team: 'film', stage: 'final' } }))).toEqual(['all', 'image']);
    expect(names(capsOn(caps, { ...of, tags: undefined }))).toEqual(['all', 'image', 'film']);
  });

  it.each([
    ['minute', '2026-12-31T23:59', Date.UTC(2027, 0, 1)],
    ['hour', '2026-12-31T23', Date.UTC(2027, 0, 1)],
    ['day', '2026-12-31', Date.UTC(2027, 0, 1)],
    ['month', '2026-12', Date.UTC(2027, 0, 1)],
    ['ever', 'ever', null],
  ] as const)('hold for a period in UTC: %s', (per, name, end) => {
    const at = Date.UTC(2026, 11, 31, 23, 59);
    expect(periodOf(per, at)).toBe(name);
    expect(periodEnd(per, at)).toBe(end);
  });
});
