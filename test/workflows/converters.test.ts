import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { failureConverter } from '../../src/workflows/failure-converter.ts';
import { payloadConverter } from '../../src/workflows/payload-converter.ts';

const HALF = '\ud800';
const WHOLE = 'a fox 🦊';

describe('what a workflow reads', () => {
  const read = (value: unknown): unknown =>
    payloadConverter.fromPayload(defaultPayloadConverter.toPayload(value));

  it('has no half of a surrogate pair, neither in a text nor in the name of a field', () => {
    expect(read({ [`id ${HALF}`]: [HALF, { deep: `${HALF}x` }], whole: WHOLE })).toEqual({
      'id \ufffd': ['\ufffd', { deep: '\ufffdx' }],
      whole: WHOLE,
    });
    expect(read(`\udc00 ${WHOLE}`)).toBe(`\ufffd ${WHOLE}`);
  });

  it('is nothing where it cannot be read', () => {
    const { metadata } = defaultPayloadConverter.toPayload('x');
    expect(
      payloadConverter.fromPayload({ metadata: metadata ?? null, data: Buffer.from('{"') }),
    ).toBeUndefined();
  });
});

describe('what a workflow fails with', () => {
  it('is told in whole pairs alone, with all its causes', () => {
    const cause = new Error(`cut here ${HALF}`);
    const thrown = ApplicationFailure.create({ type: `X${HALF}`, message: `${WHOLE} ${HALF}`, cause });
    const failure = failureConverter.errorToFailure(thrown, defaultPayloadConverter);
    expect(failure).toMatchObject({
      message: `${WHOLE} \ufffd`,
      applicationFailureInfo: { type: 'X\ufffd' },
      cause: { message: 'cut here \ufffd' },
    });
    for (const { stackTrace } of [failure, failure.cause ?? {}]) expect(stackTrace).not.toContain(HALF);
  });
});
