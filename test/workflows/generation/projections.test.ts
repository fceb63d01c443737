import { describe, expect, it } from 'vitest';
import { given } from '../../../src/api/json/given.ts';
import { NO_USAGE } from '../../../src/api/records/usage.ts';
import type { Attempt } from '../../../src/contract/generation.ts';
import { DEFAULT_POLICY } from '../../../src/policy/policy.ts';
import { chargedTo } from '../../../src/workflows/generation/attempts.ts';
import { BEGINNING } from '../../../src/workflows/generation/begin.ts';
import {
  billOf,
  memoOf,
  progressOf,
  searchableTask,
  searchedBy,
  viewOf,
} from '../../../src/workflows/generation/projections.ts';
import { tell } from '../../../src/workflows/generation/show.ts';
import type { Search, Stage, Waiting } from '../../../src/workflows/generation/stage.ts';
import type { State } from '../../../src/workflows/generation/state.ts';

const AT = Date.UTC(2026, 0, 1, 12);
const NOON = '2026-01-01T12:00:00.000Z';
const PRICE = { total: 8, subscription: 8, permanent: 0 };
const PLAN = { family: 'image', takesSeed: false, policy: DEFAULT_POLICY } as const;
const REQUEST = { model: 'image-l', input: {} };
const ADOPTING = { ...REQUEST, adoptOnly: { type: 'OUTPUT_UNAVAILABLE', message: 'it is gone' } } as const;

const TASK = { taskId: 'task-2', usage: PRICE, adopted: false, heldAt: AT };
const FAILED: Attempt = {
  taskId: 'task-1',
  outcome: 'failed',
  code: 'IMAGE_GENERATION_FAILED',
  usage: PRICE,
  settledBy: 'poll',
  adopted: false,
};
const UNKNOWN: Attempt = { ...FAILED, taskId: null, outcome: 'unknown', code: null, usage: NO_USAGE };

const LOST: Search = {
  unknown: {
    kind: 'unknown',
    reason: 'the answer got lost',
    since: AT,
    balance: { before: { available: 20, at: AT }, after: { available: 12, at: AT } },
  },
  claim: 'in',
};
const WAIT: Waiting = {
  at: 'wait',
  task: TASK,
  nextAt: AT,
  pause: 0,
  quietPolls: 0,
  seen: 0,
};
const PARK = {
  at: 'park',
  parkId: 'park',
  pace: { initial: 1, factor: 1, max: 1, window: 1 },
  until: AT,
  end: { kind: 'failed', type: 'INSUFFICIENT_CREDITS', message: 'Too few credits.', rejected: true },
  again: false,
  looks: 0,
  isEnough: false,
} as const satisfies Stage;
const STORE = {
  at: 'store',
  task: TASK,
  report: { kind: 'delayed', reason: 'the file answers 404', url: null },
  tries: 1,
  lostWorkers: 0,
  pause: 2_000,
  nextAt: AT,
} as const satisfies Stage;
const SEARCH = { at: 'reconcile', search: LOST, pause: 60_000, claims: 1, asked: 0 } as const;
const ASK = { at: 'ask', search: LOST, pause: 1, renewAt: AT } as const;
const ASK_TASK = { at: 'ask', wait: WAIT, why: 'the task is gone' } as const;
const CANCELLED = { at: 'done', end: { kind: 'cancelled' }, task: TASK } as const;

const is = (stage: Stage, more: Partial<State> = {}): State => ({ ...BEGINNING, plan: PLAN, ...more, stage });
const heard = (more: Partial<State['heard']>): Pick<State, 'heard'> => ({
  heard: { ...BEGINNING.heard, ...more },
});
const DECIDED = heard({ decisions: { count: 1, latest: { action: 'fail' } } });

const QUESTION = `the answer got lost; credits before: 20 at ${NOON}, after: 12 at ${NOON}, difference: 8. Nobody can tell whether a task was bought`;

describe('a run as others see it', () => {
  it.each<[what: string, State, state: string, searched: string | undefined, trouble: string | null]>([
    ['at its beginning', BEGINNING, 'submitting', undefined, null],
    [
      'that looks for earlier purchases',
      is({ at: 'submit', isRerun: true }),
      'submitting',
      undefined,
      'looking for what earlier runs have bought',
    ],
    [
      'whose submit is held up',
      is({ at: 'submit' }, heard({ heldUp: { reason: '"away"' } })),
      'submitting',
      'submit is held up',
      'the submit is tried again and again: "away"',
    ],
    [
      'that waits for its budget',
      is({ at: 'submit' }, heard({ heldUp: { reason: '"others hold it"', by: 'budget' } })),
      'submitting',
      undefined,
      'it is submitted once there is room: "others hold it"',
    ],
    [
      'that waits for its budget, which its lost submit may have spent',
      is(
        { at: 'submit' },
        {
          ...heard({ heldUp: { reason: '"it may"', by: 'budget' } }),
          gaveUp: { unknown: LOST.unknown, at: AT },
        },
      ),
      'submitting',
      undefined,
      'it is submitted once there is room, unless the task of its lost submit turns up: "it may"',
    ],
    [
      'that buys again, after a pause',
      is({ at: 'submit', pause: { until: AT, why: 'trying again after TIMEOUT' } }, { attempts: [FAILED] }),
      'submitting',
      'submitting again',
      'trying again after TIMEOUT',
    ],
    ['that has not looked at its balance yet', is(PARK), 'parked', 'waiting for credits', 'Too few credits.'],
    [
      'that is parked',
      is({ ...PARK, available: 3, price: 8, nextAt: AT }),
      'parked',
      'waiting for credits',
      `Too few credits; needs 8 credits, 3 are available; looks again by ${NOON}`,
    ],
    [
      'that is parked, and knows no price and no balance',
      is({ ...PARK, nextAt: AT }),
      'parked',
      'waiting for credits',
      `Too few credits; needs credits, how many is not known, the balance cannot be read now; looks again by ${NOON}`,
    ],
    [
      'that looks for its task',
      is(SEARCH),
      'reconciling',
      undefined,
      'the answer got lost; looking for the task for 60 s',
    ],
    [
      'that looks on',
      is({ ...SEARCH, pause: 500, why: 'events were delayed' }),
      'reconciling',
      undefined,
      'the answer got lost; events were delayed: looking on for 500 ms',
    ],
    ['that asks about a submit', is(ASK), 'needs a decision', 'needs a decision', QUESTION],
    [
      'that does what was decided about a submit',
      is(ASK, DECIDED),
      'reconciling',
      'needs a decision',
      QUESTION,
    ],
    [
      'whose decision was done, and that asks again',
      is(ASK, { ...DECIDED, decided: { count: 1 } }),
      'needs a decision',
      'needs a decision',
      QUESTION,
    ],
    ['that asks about a task', is(ASK_TASK), 'needs a decision', 'needs a decision', 'the task is gone'],
    [
      'that does what was decided about a task',
      is(ASK_TASK, DECIDED),
      'waiting',
      'needs a decision',
      'the task is gone',
    ],
    ['that waits', is(WAIT), 'waiting', undefined, null],
    [
      'whose record cannot be read for a moment',
      is({ ...WAIT, unread: { since: AT, reason: 'HTTP 500', times: 1, isShown: false } }),
      'waiting',
      undefined,
      'cannot read the record: HTTP 500',
    ],
    [
      'whose record cannot be read for long',
      is({ ...WAIT, unread: { since: AT, reason: 'HTTP 500', times: 3, isShown: true } }),
      'waiting',
      'record cannot be read',
      'cannot read the record: HTTP 500',
    ],
    [
      'whose task is not known',
      is({ ...WAIT, missing: { since: AT, lastAt: AT } }),
      'waiting',
      undefined,
      'the API does not know task task-2; trying for 2 min',
    ],
    ['that stores', is(STORE), 'storing', undefined, 'the files are being stored: the file answers 404'],
    [
      'whose file is gone, before it looks once more',
      is({ ...STORE, report: { kind: 'gone', reason: 'the file answers 410', url: null } }),
      'waiting',
      undefined,
      null,
    ],
    [
      'whose storing is held up',
      is({ ...STORE, tries: 2 }),
      'storing',
      'storing is held up',
      'the files are not stored yet: the file answers 404; next try in 2 s, or by checkNow',
    ],
    [
      'whose files have ended two workers',
      is({ ...STORE, tries: 3, lostWorkers: 2 }),
      'storing',
      'storing is held up',
      'storing the files has ended 2 workers (the file answers 404): not tried again before checkNow',
    ],
    [
      'that was cancelled',
      is(CANCELLED),
      'done',
      undefined,
      'cancelled; task task-2 goes on at the API, and a Reset adopts it',
    ],
    [
      'that has failed while it was held up',
      is(
        { at: 'done', end: { kind: 'failed', type: 'FAILED', message: 'no' } },
        heard({ heldUp: { reason: '"away"' } }),
      ),
      'done',
      undefined,
      null,
    ],
  ])('%s', (_, state, shown, searched, trouble) => {
    expect(progressOf(state, REQUEST)).toMatchObject({ state: shown, trouble });
    expect(searchedBy(state)).toBe(searched);
    expect(viewOf(state).note ?? null).toBe(trouble);
  });

  it('tells the task that it holds, else the latest that it had, and when it looks next', () => {
    const attempts = [FAILED];
    expect(progressOf(is(WAIT, { attempts }), REQUEST)).toMatchObject({
      taskId: 'task-2',
      nextPollAt: NOON,
      usage: { total: 16 },
    });
    expect(progressOf(is({ at: 'submit' }, { attempts }), REQUEST)).toMatchObject({
      taskId: 'task-1',
      nextPollAt: null,
      usage: { total: 8 },
    });
    expect(progressOf(is(ASK_TASK), REQUEST)).toMatchObject({ taskId: 'task-2', nextPollAt: null });
    expect(progressOf(BEGINNING, REQUEST).taskId).toBeNull();
  });

  it('says what can be decided only where not everything can', () => {
    expect(progressOf(is(ASK), REQUEST)).not.toHaveProperty('decisions');
    expect(progressOf(is(ASK), ADOPTING).decisions).toEqual(['adopt', 'fail']);
    expect(progressOf(is(ASK, DECIDED), ADOPTING)).not.toHaveProperty('decisions');
  });
});

describe('the attempts of a run', () => {
  const proof = (taskId: string, outcome?: 'failed') => ({
    ...heard({
      proofs: [['claim', { claimId: 'claim', taskId, usage: PRICE, ...given({ outcome }) }]],
    }),
    attempts: [{ ...UNKNOWN, claimId: 'claim' }],
  });

  it.each([
    [
      'tell what one of unknown outcome was proven to have bought',
      is(SEARCH, proof('late', 'failed')),
      'late',
      8,
    ],
    ['count its price before it has ended', is(SEARCH, proof('late')), null, 8],
    ['count a task once that the run holds itself', is(WAIT, proof('task-2', 'failed')), null, 0],
    [
      'count a task once that the run has had itself',
      is(
        { at: 'submit' },
        { ...proof('task-1', 'failed'), attempts: [{ ...UNKNOWN, claimId: 'claim' }, FAILED] },
      ),
      null,
      0,
    ],
    [
      'know nothing of a claim that is not theirs',
      is(SEARCH, { ...proof('late'), attempts: [UNKNOWN] }),
      null,
      0,
    ],
  ])('%s', (_, state, taskId, total) => {
    const [first] = progressOf(state, REQUEST).attempts;
    expect(first).toMatchObject({ taskId, usage: { total } });
  });

  it.each([
    ['a proven task, though it is not told by name yet', proof('late'), [], 8],
    ['no proven task that an earlier run has accounted for', proof('late'), ['late'], 0],
    [
      'nothing of a repeated result that names no task',
      { attempts: [{ ...UNKNOWN, usage: PRICE }, FAILED] },
      ['task-1'],
      0,
    ],
  ])('charge the run for %s', (_, of, others, total) => {
    expect(chargedTo(is({ at: 'submit' }, of), new Set(others))).toMatchObject({ total });
  });
});

describe('the end of a run', () => {
  it('is billed by what was counted, and a cancelled one leaves it in its memo', () => {
    const counted = is({ ...CANCELLED, charged: NO_USAGE }, { attempts: [FAILED] });
    const bill = { attempts: [FAILED], usage: { total: 16 } };
    const alone = { isStep: false };
    expect(billOf(counted)).toMatchObject({ ...bill, charged: NO_USAGE });
    expect(memoOf(alone, counted)).toMatchObject({ taskId: 'task-2', ...bill, charged: NO_USAGE });
    expect(memoOf({ isStep: true }, counted)).toEqual({
      taskId: 'task-2',
      ...billOf(counted),
      charged: undefined,
    });
    expect(memoOf(alone, is(CANCELLED))).toBeUndefined();
    const failed = {
      at: 'done',
      end: { kind: 'failed', type: 'X', message: '' },
      charged: NO_USAGE,
    } as const;
    expect(memoOf(alone, is(failed))).toBeUndefined();
  });

  it.each<[string, State, string | undefined]>([
    ['a task that is held', is(WAIT), 'task-2'],
    ['a task that is asked about', is(ASK_TASK), 'task-2'],
    ['no task', is(SEARCH), undefined],
    [
      'the task of an earlier result',
      is({
        at: 'done',
        end: {
          kind: 'completed',
          result: { taskId: 'earlier', model: 'image-l', status: 'COMPLETED', data: null, outputs: [] },
        },
      }),
      'earlier',
    ],
  ])('is found by %s', (_, state, taskId) => expect(searchableTask(state)).toBe(taskId));
});

describe('the log of a run, and what the metrics count of it', () => {
  const lines = (before: State, after: State): string[] => {
    const told: string[] = [];
    const says = (level: string) => (message: string) => told.push(`${level}: ${message}`);
    const counts = (name: string) => told.push(`counted: ${name}`);
    tell({ request: REQUEST, workspace: 'default' }, before, after, 7, {
      log: { info: says('info'), warn: says('warn') },
      counts: { attempted: counts, charged: counts, adopted: counts, asked: counts },
    });
    return told;
  };

  it.each<[string, State, State, string[]]>([
    ['nothing new', is(WAIT), is({ ...WAIT, quietPolls: 1 }), []],
    ['a task that was bought', is({ at: 'submit' }), is(WAIT), ['info: bought task task-2']],
    [
      'a task that was adopted',
      is(SEARCH),
      is({ ...WAIT, task: { ...TASK, adopted: true } }),
      ['info: adopted task task-2', 'counted: adopted task-2'],
    ],
    [
      'a task that has failed, and the end',
      is({ ...WAIT, task: { ...TASK, taskId: 'task-1' } }),
      is({ at: 'done', end: { kind: 'failed', type: 'X', message: 'no' } }, { attempts: [FAILED] }),
      [
        'warn: task task-1 failed: IMAGE_GENERATION_FAILED',
        'counted: attempt 0',
        'warn: failed with X after 8 credits: no',
      ],
    ],
    [
      'a task that another run had, which has counted it',
      is(WAIT),
      is({ at: 'submit' }, { attempts: [FAILED] }),
      ['warn: task task-1 failed: IMAGE_GENERATION_FAILED'],
    ],
    [
      'a submit that was refused',
      is({ at: 'submit' }),
      is({ at: 'submit' }, { attempts: [{ ...UNKNOWN, outcome: 'rejected', code: 'CODE' }] }),
      ['warn: the submit was rejected: CODE', 'counted: attempt 0'],
    ],
    [
      'a submit that was given up',
      is(SEARCH),
      is({ at: 'submit' }, { attempts: [UNKNOWN] }),
      ['warn: nobody can tell whether a submit has bought a task', 'counted: attempt 0'],
    ],
    ['a question', is(WAIT), is(ASK_TASK), ['warn: needs a decision: the task is gone', 'counted: asked 7']],
    ['a decision', is(ASK_TASK), is(ASK_TASK, DECIDED), ['info: a person has decided: fail']],
  ])('tells of %s', (_, before, after, told) => expect(lines(before, after)).toEqual(told));
});
