import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { OpenClaims } from '../../../src/workflows/unclaimed-tasks/open-claims.ts';
import { FOX, keptClaim } from './examples.ts';

const purchase = { workflowId: 'generation/x', firstRunId: 'first' };

describe('an open claim', () => {
  it('is found by its purchase, for as long as it is open', () => {
    const open = new OpenClaims();
    const a = keptClaim('a', purchase);
    open.put(a);
    expect(open.ofPurchase(purchase)).toBe(a);
    expect(open.ofPurchase({ ...purchase, firstRunId: 'a' })).toBeUndefined();
    expect(open.ofPurchase({ ...purchase, workflowId: 'generation/y' })).toBeUndefined();
    open.delete('a');
    expect(open.ofPurchase(purchase)).toBeUndefined();
  });

  it('that goes leaves the next one of its purchase', () => {
    const open = new OpenClaims();
    const b = keptClaim('b', purchase);
    open.put(keptClaim('a', purchase));
    open.put(b);
    open.delete('a');
    expect(open.ofPurchase(purchase)).toBe(b);
  });

  it('is of one purchase, also when it comes again', () => {
    const open = new OpenClaims();
    open.put(keptClaim('a', purchase));
    const other = keptClaim('a');
    open.put(other);
    expect([open.ofPurchase(purchase), open.ofPurchase(other)]).toEqual([undefined, other]);
  });

  it('is counted once, and no more when it is gone', () => {
    const open = new OpenClaims();
    const [a, b] = [keptClaim('a'), keptClaim('b')];
    open.put(a);
    open.put(b);
    open.put(a);
    expect([open.size, open.bytes]).toEqual([2, jsonBytes(a) + jsonBytes(b)]);
    expect([...open.candidates(FOX)]).toHaveLength(2);
    open.delete('a');
    open.delete('a');
    expect([open.size, open.bytes, [...open.candidates(FOX)]]).toEqual([1, jsonBytes(b), [b]]);
  });
});
