import { describe, expect, it } from 'vitest';
import { workflowIdOf } from '../../src/client/workflow-id.ts';

describe('the workflow id of a key', () => {
  it('is the key after the kind; a whole id is taken as it is', () => {
    expect(workflowIdOf('generation', 'order-17')).toBe('generation/order-17');
    expect(workflowIdOf('generation', 'generation/order-17')).toBe('generation/order-17');
    expect(workflowIdOf('pipeline', 'film/3')).toBe('pipeline/film/3');
  });

  it('is another one each time where there is no key', () => {
    expect(workflowIdOf('pipeline')).not.toBe(workflowIdOf('pipeline'));
  });

  it('has a key of 1 to 200 bytes, whatever letters they make', () => {
    expect(workflowIdOf('pipeline', 'é'.repeat(100))).toHaveLength('pipeline/'.length + 100);
    expect(() => workflowIdOf('pipeline', 'é'.repeat(101))).toThrow(
      new RangeError('a key has 1 to 200 bytes in UTF-8; this one has 202'),
    );
    expect(() => workflowIdOf('generation', `generation/${'k'.repeat(201)}`)).toThrow(RangeError);
    expect(() => workflowIdOf('generation', '')).toThrow(RangeError);
  });
});
