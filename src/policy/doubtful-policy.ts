import { formatDuration } from './duration.ts';
import type { Policy, Polling } from './policy.ts';

/** Shorter times than this are for tests: no task ends in one, and no answer is sure to come in one. */
const SHORTEST = 1_000;

/** So many further tasks after a failed one are more than anybody can want to pay for. */
const MOST_RESUBMISSIONS = 20;

/**
 * What a policy says that can hardly be meant, as words that read on from the path: `policy.deadline: 20` is 20 ms, and
 * each task would be paid for and overdue.
 */
export function policyDoubts(whole: Policy): Doubt[] {
  const { retries, ...policy } = whole;
  const { deadline, polling, submit, reconcile, vanished, outputs } = policy;
  const times: [path: string, milliseconds: number, follows: string][] = [
    ['deadline', deadline, 'tasks are paid for, and overdue'],
    ...paces(polling).map(([path, pause]): [string, number, string] => [
      path,
      pause,
      'the API is asked without a pause',
    ]),
    ['submit.timeout', submit.timeout, 'nobody knows whether a task was bought'],
    ['submit.heartbeat', submit.heartbeat, 'a worker that is busy counts as gone'],
    ['reconcile.wait', reconcile.wait, 'a task whose answer got lost is not found'],
    ['vanished.wait', vanished.wait, 'a task that the API does not show at once is given up'],
    ['outputs.wait', outputs.wait, 'files that are paid for are given up'],
    ...Object.entries(retries).flatMap(([code, { initial, max, window }]): [string, number, string][] => [
      [`retries.${code}.initial`, initial, 'the API is asked without a pause'],
      [`retries.${code}.max`, max, 'the API is asked without a pause'],
      [`retries.${code}.window`, window, 'nothing is tried again'],
    ]),
  ];
  const short = times.flatMap(([path, milliseconds, follows]): Doubt[] =>
    milliseconds >= SHORTEST
      ? []
      : [
          {
            path: `policy.${path}`,
            message: `is only ${formatDuration(milliseconds)}: ${follows}. A number without a unit counts milliseconds`,
          },
        ],
  );
  return [...short, ...contradictions(whole)];
}

/** The first doubt about a policy in one sentence, and how many more there are; undefined: there is none. */
export function doubtOf(policy: Policy): string | undefined {
  const [first, ...others] = policyDoubts(policy);
  if (first === undefined) return undefined;
  return `${first.path} ${first.message}${others.length === 0 ? '' : ` (${others.length} more like it)`}`;
}

export interface Doubt {
  path: string;
  /** Reads on from the path. */
  message: string;
}

/** What leaves another part of the policy without effect. */
function contradictions({ deadline, polling, submit, retries }: Policy): Doubt[] {
  const { first = 0, max = Infinity } = polling;
  const found: [isDoubtful: boolean, path: string, message: string][] = [
    [first > max, 'polling.first', 'is longer than polling.max, which is what counts'],
    [
      deadline >= SHORTEST && Math.max(first, polling.none.first) >= deadline,
      'polling',
      'looks first when the deadline is over: without its webhook, each task is paid for and overdue',
    ],
    [
      submit.heartbeat > submit.timeout,
      'submit.heartbeat',
      'is longer than submit.timeout: a lost worker is noticed later than it has to be',
    ],
    ...Object.entries(retries).flatMap(([code, row]): [boolean, string, string][] => [
      [row.initial > row.max, `retries.${code}.initial`, 'is longer than max, which is what counts'],
      [
        row.window >= SHORTEST && row.initial >= row.window,
        `retries.${code}.window`,
        'is over before the first try: nothing is tried again',
      ],
      [
        row.resubmissions > MOST_RESUBMISSIONS,
        `retries.${code}.resubmissions`,
        `may buy ${row.resubmissions} further tasks of one generation`,
      ],
    ]),
  ];
  return found.flatMap(([isDoubtful, path, message]) =>
    isDoubtful ? [{ path: `policy.${path}`, message }] : [],
  );
}

function paces({
  webhooks,
  none,
  first = SHORTEST,
  max = SHORTEST,
}: Polling): [path: string, pause: number][] {
  return [
    ['polling.first', first],
    ['polling.max', max],
    ['polling.webhooks.first', webhooks.first],
    ['polling.webhooks.max', webhooks.max],
    ['polling.none.first', none.first],
    ['polling.none.max', none.max],
  ];
}
