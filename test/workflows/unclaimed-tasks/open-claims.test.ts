import { describe, expect, it } from 'vitest';
import { jsonBytes } from '../../../src/contract/json-bytes.ts';
import { OpenClaims } from '../../../src/workflows/unclaimed-tasks/open-claims.ts';
import { FOX, keptClaim } from './examples.ts';

const X = 'generation/x';

describe('an open claim', () => {
  it('is found by its workflow, for as long as it is open', () => {
    const open = new OpenClaims();
    const a = keptClaim('a', { workflowId: X });
    open.put(a);
    expect(open.of(X)).toBe(a);
    expect(open.of('generation/y')).toBeUndefined();
    open.delete('a');
    expect(open.of(X)).toBeUndefined();
  });

  it('that goes leaves the next one of its workflow', () => {
    const open = new OpenClaims();
    const b = keptClaim('b', { workflowId: X });
    open.put(keptClaim('a', { workflowId: X }));
    open.put(b);
    open.delete('a');
    expect(open.of(X)).toBe(b);
  });

  it('is of one workflow, also when it comes again', () => {
    const open = new OpenClaims();
    open.put(keptClaim('a', { workflowId: X }));
    const other = keptClaim('a');
    open.put(other);
    expect([open.of(X), open.of(other.workflowId)]).toEqual([undefined, other]);
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
