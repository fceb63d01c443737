import { describe, expect, it } from 'vitest';
import { Grants } from '../../../src/workflows/unclaimed-tasks/grants.ts';

const grant = (n: number) => ({ claimId: `c${n}`, taskId: `t${n}` });
const many = (count: number) => Array.from({ length: count }, (_, n) => grant(n));

describe('a grant', () => {
  it('is known by its claim and by its task', () => {
    const grants = new Grants([grant(1)]);
    grants.add(grant(2));
    expect([grants.of('c1'), grants.of('c2'), grants.of('c3')]).toEqual(['t1', 't2', undefined]);
    expect([grants.includes('t1'), grants.includes('t2'), grants.includes('t3')]).toEqual([
      true,
      true,
      false,
    ]);
    expect(grants.kept).toEqual([grant(1), grant(2)]);
  });

  it('is one of the latest three hundred, the others are forgotten', () => {
    const grants = new Grants(many(300));
    expect(grants.kept).toEqual(many(300));
    grants.add(grant(300));
    expect(grants.kept).toEqual(many(301).slice(1));
    expect(grants.includes('t0')).toBe(false);
  });

  it('that is revoked is as if it had not been', () => {
    const grants = new Grants([grant(1)]);
    expect(grants.revoke('c1')).toBe(true);
    expect([grants.of('c1'), grants.includes('t1'), grants.kept]).toEqual([undefined, false, []]);
    expect(grants.revoke('c1')).toBe(false);
  });

  it('stays where its run has been told of it', () => {
    const grants = new Grants([grant(1)]);
    expect(grants.tell('c1')).toBe('t1');
    expect(grants.revoke('c1')).toBe(false);
    expect([grants.of('c1'), grants.includes('t1')]).toEqual(['t1', true]);
  });

  it('can be revoked where its run has asked in vain, or was told of an earlier one', () => {
    const grants = new Grants([]);
    expect(grants.tell('c0')).toBeUndefined();
    grants.add(grant(0));
    expect(grants.revoke('c0')).toBe(true);
    grants.add(grant(0));
    grants.tell('c0');
    for (const other of many(301).slice(1)) grants.add(other);
    expect(grants.of('c0')).toBeUndefined();
    grants.add(grant(0));
    expect(grants.revoke('c0')).toBe(true);
  });
});
