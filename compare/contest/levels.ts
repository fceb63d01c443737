import { draw } from '../../emulator/src/faults/draw.ts';
import type { FaultRuleInput } from '../../emulator/src/faults/rule.ts';
import type { Fate } from '../edge/edge.ts';

export type LevelName =
  | 'none'
  | 'lost answers'
  | 'refusals'
  | 'webhooks'
  | 'caller killed'
  | 'API away'
  | 'Temporal killed'
  | 'Reset';

/**
 * What an order is there for. `plain` ones are over before anything is broken; `answer` ones have just been taken, with
 * their answers on the way, when it breaks; `waits` ones have been answered, and are waited for; `meanwhile` ones come
 * while the API is away; `reset` ones are Reset once they are done.
 */
export type Role = 'plain' | 'answer' | 'waits' | 'meanwhile' | 'reset';

export interface Level {
  /** For people: what goes wrong. */
  says: string;
  /** Shares of the orders by their role; the rest is plain. */
  roles: Partial<Record<Role, number>>;
  /** What becomes of each POST; the first that a draw strikes. */
  submits: readonly (readonly [share: number, fate: Exclude<Fate, 'taken'>])[];
  /** Shares of the orders that the API refuses for good. */
  rejected: number;
  /** Faults of the events that tell of completed tasks. */
  webhooks: readonly FaultRuleInput[];
  /** Only for those that use it. */
  needs: 'nothing' | 'Temporal';
}

const QUIET: Level = { says: '', roles: {}, submits: [], rejected: 0, webhooks: [], needs: 'nothing' };
const completed = { event: 'task.completed' } as const;

export const LEVELS: Readonly<Record<LevelName, Level>> = {
  none: { ...QUIET, says: 'nothing goes wrong' },
  'lost answers': {
    ...QUIET,
    says: 'one POST in ten is charged, and its connection reset before the answer',
    submits: [[0.1, 'lost']],
  },
  refusals: {
    ...QUIET,
    says: 'one POST in ten is answered 429, one in ten 503; one order in fifty is refused for good',
    submits: [
      [0.1, 'rate limited'],
      [0.1, 'unavailable'],
    ],
    rejected: 0.02,
  },
  webhooks: {
    ...QUIET,
    says: 'of the events of completed tasks one in five is lost, one in ten comes 15 s late, one in ten three times',
    webhooks: [
      { id: 'lost', on: 'webhook', match: completed, share: 0.2, fault: { kind: 'lost' } },
      { id: 'late', on: 'webhook', match: completed, share: 0.125, fault: { kind: 'late', ms: 15_000 } },
      { id: 'repeated', on: 'webhook', match: completed, share: 0.14, fault: { kind: 'repeated', times: 2 } },
    ],
  },
  'caller killed': {
    ...QUIET,
    says: 'SIGKILL twice: while one order in ten waits for the answer to its POST, and while one in ten waits for its task',
    roles: { answer: 0.1, waits: 0.1 },
  },
  'API away': {
    ...QUIET,
    says: 'for a minute the API cannot be reached, while one order in ten waits for its task and one in ten begins',
    roles: { waits: 0.1, meanwhile: 0.1 },
  },
  'Temporal killed': {
    ...QUIET,
    says: 'SIGKILL for the server, while one order in ten waits for the answer to its POST and one in ten for its task',
    roles: { answer: 0.1, waits: 0.1 },
    needs: 'Temporal',
  },
  Reset: {
    ...QUIET,
    says: 'one finished workflow in ten is Reset to its beginning',
    roles: { reset: 0.1 },
    needs: 'Temporal',
  },
};

export const LEVEL_NAMES = Object.keys(LEVELS) as LevelName[]; // the table's own keys

/** Everything that chance decides, by the seed, the order and how often it has been sent: never by the time. */
export function roleOf(seed: number, level: LevelName, order: number): Role {
  const shares = Object.entries(LEVELS[level].roles) as [Role, number][]; // the table's own keys
  return pick(shares, draw(seed, level, 'role', order)) ?? 'plain';
}

/** @param nth from 1: which POST of the order it is */
export function fateOf(seed: number, level: LevelName, order: number, nth: number): Fate {
  const { rejected, submits } = LEVELS[level];
  if (draw(seed, level, 'rejected', order) < rejected) return 'rejected';
  const shares = submits.map(([share, fate]) => [fate, share] as const);
  return pick(shares, draw(seed, level, 'submit', order, nth)) ?? 'taken';
}

function pick<T>(shares: readonly (readonly [T, number | undefined])[], drawn: number): T | undefined {
  let below = 0;
  for (const [what, share = 0] of shares) {
    below += share;
    if (drawn < below) return what;
  }
  return undefined;
}
