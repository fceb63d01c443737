import { ApplicationFailure } from '@temporalio/common';
import { MockActivityEnvironment } from '@temporalio/testing';
import { DefaultLogger } from '@temporalio/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type OpenLooks, whyStillLooking } from '../../../src/activities/unclaimed-tasks/open-looks.ts';
import { claimIdOf, type Looking } from '../../../src/contract/entities/claims.ts';

const LOOKED_AT: Looking = { kind: 'looking', wait: 500, why: 'task t is being looked at', lasting: false };
const GIVEN_UP = { workspace: 'default', firstRunId: 'run', gaveUpAt: 7, resolvedUnknowns: [3, 5] };

/** One try of a submit. @returns why nobody can tell; undefined: it may be sent */
function tryOnce(
  answer: () => Promise<Looking | null>,
  search: Parameters<typeof whyStillLooking>[2] = {},
  submit: Parameters<typeof whyStillLooking>[1] = GIVEN_UP,
): Promise<string | undefined> {
  const of = vi.fn<OpenLooks['of']>(answer);
  return new MockActivityEnvironment({}, { logger: new DefaultLogger('ERROR') }).run(async () => {
    const why = await whyStillLooking({ looks: { of } }, submit, search);
    expect(of.mock.calls).toEqual(
      submit.gaveUpAt === undefined ? [] : [['default', [claimIdOf('run', 3), claimIdOf('run', 5)]]],
    );
    return why;
  });
}

const failed = async (ended: Promise<unknown>): Promise<ApplicationFailure> => {
  const error: unknown = await ended.catch((reason: unknown) => reason);
  if (!(error instanceof ApplicationFailure)) throw new Error('it was to fail');
  return error;
};

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('a submit of a run that has given one up', () => {
  it('is sent where nothing is looked at, and of one that has given none up nobody is asked', async () => {
    expect(await tryOnce(async () => await Promise.resolve(null))).toBeUndefined();
    const asked = (): never => expect.fail('it was asked');
    expect(await tryOnce(asked, {}, { ...GIVEN_UP, gaveUpAt: undefined })).toBeUndefined();
  });

  it('is tried again while a task is looked at, for a minute; then nobody can tell', async () => {
    const search = {};
    const look = async (): Promise<Looking> => await Promise.resolve(LOOKED_AT);
    for (let seconds = 0; seconds < 60; seconds += 5) {
      expect(await failed(tryOnce(look, search))).toMatchObject({
        message: 'nothing is bought again: task t is being looked at',
        nonRetryable: false,
        nextRetryDelay: 1_000,
      });
      vi.advanceTimersByTime(5_000);
    }
    expect(await tryOnce(look, search)).toBe('task t is being looked at');
  });

  it('has a whole minute again for the next look', async () => {
    const search = {};
    await failed(tryOnce(async () => await Promise.resolve(LOOKED_AT), search));
    await tryOnce(async () => await Promise.resolve(null), search);
    expect(search).toEqual({});
  });

  it('is tried again while nobody answers', async () => {
    const away = async (): Promise<never> => await Promise.reject(new Error('Temporal is away'));
    expect((await failed(tryOnce(away))).message).toContain('does not answer (Error: Temporal is away)');
  });
});
