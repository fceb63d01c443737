import { getRandomStream, type WorkflowRandomStream } from '@temporalio/workflow';
import { NO_USAGE } from '../../api/records/usage.ts';
import { claimIdOf } from '../../contract/entities/claims.ts';
import { pauseBeforeLook } from '../../policy/look-pace.ts';
import { nextStep } from '../../policy/next-step.ts';
import type { Policy } from '../../policy/policy.ts';
import { doubt, knownPrice, reject, withoutAttempt } from './attempts.ts';
import { viewOf } from './projections.ts';
import type { Failed, HeldTask, Parked, Reconciling, Search, UnknownSubmit, Waiting } from './stage.ts';
import { at, type Heard, newsOf, planOf, policyOf, type Run, type State, valueOf } from './state.ts';

// What follows, as the next state. Nothing here waits, or reaches out.

/**
 * What a step has come to, with all that was heard meanwhile. Whoever has decided while the run went on by itself is
 * refused: nothing was done about it.
 */
export function withHeard(next: State, heard: Heard): State {
  const state = { ...next, heard: { ...heard, heldUp: undefined } };
  const { count } = heard.decisions;
  if (next.stage.at === 'ask' || next.decided.count === count) return state;
  const refusal = `the run went on by itself meanwhile: its state is "${viewOf(state).state}"`;
  return { ...state, decided: { count, refusal } };
}

/** A row of unknown submits is not bought on forever, whatever the policy says. */
const MAX_UNKNOWN_IN_A_ROW = 5;

type Failure = Omit<Failed, 'kind'>;

export function fail(state: State, failure: Failure): State {
  return at(state, { at: 'done', end: { kind: 'failed', ...failure } });
}

/** From here on the webhook finds this workflow by the task, and so does an operator; its deadline runs. */
export function hold(state: State, task: Omit<HeldTask, 'heldAt'>): State {
  const held = { ...task, heldAt: Date.now() };
  const begun: Waiting = { at: 'wait', task: held, nextAt: 0, pause: 0, quietPolls: 0, seen: 0 };
  // An adopted task may have ended long ago: it is looked at at once.
  const stage = waitOn(state, begun, task.adopted ? 0 : undefined);
  return { ...state, parkedSince: undefined, unknowns: 0, stage };
}

/** Until when a task is waited for, in milliseconds since the epoch. */
export const deadlineOf = (state: State, { heldAt }: HeldTask): number => heldAt + policyOf(state).deadline;

export function adopt(state: State, taskId: string): State {
  const total = valueOf(state.heard.prices, taskId) ?? 0;
  const { usage = { ...NO_USAGE, total } } = state.attempts.find((one) => one.taskId === taskId) ?? {};
  return hold(withoutAttempt(state, taskId), { taskId, usage, adopted: true });
}

/** A task that this run has not submitted, or whose record is in doubt: no webhook is relied on. */
const NO_OUTLOOK = { webhooks: false };

/** The wait with its next look. @param pause in milliseconds; absent: by the policy */
export function waitOn(state: State, wait: Waiting, pause = pauseOf(state, wait)): Waiting {
  const { vanished } = policyOf(state);
  const { task, late, missing, unread } = wait;
  const dueAt = Date.now() + pause;
  const nextAt = late === undefined ? Math.min(dueAt, deadlineOf(state, task)) : dueAt;
  // While no look is answered, none of them ends the wait for a missing task: that end may be past.
  const missingUntil =
    unread === undefined && missing !== undefined ? missing.since + vanished.wait : Infinity;
  return { ...wait, pause, nextAt: Math.min(nextAt, missingUntil) };
}

function pauseOf(state: State, { task, quietPolls, missing, unread, late }: Waiting): number {
  const isTold = newsOf(state.heard, task.taskId) > 0;
  const isDoubtful = isTold || missing !== undefined || unread !== undefined || late !== undefined;
  const outlook = isDoubtful ? NO_OUTLOOK : (task.outlook ?? NO_OUTLOOK);
  const age = Date.now() - task.heldAt;
  return pauseBeforeLook(policyOf(state).polling, outlook, { looks: quietPolls, age });
}

/**
 * What the policy says of a submit that was rejected for good, or a task that has failed: waits for credits, buys once
 * more, or fails.
 *
 * @param lowest the balance that it was refused at
 */
export function followPolicy(
  before: State,
  column: 'submit' | 'task',
  failure: Failure,
  lowest?: number,
): State {
  const { type: code } = failure;
  const rejected = column === 'submit';
  const met = before.attempts.filter((attempt) => attempt.code === code).length;
  const count = met + (rejected ? 1 : 0);
  const next = nextStep({ column, code, count }, policyOf(before), () => ownRandom().random());
  if (next.kind === 'park') return park(before, { kind: 'failed', ...failure, rejected }, next.pace, lowest);
  const state = rejected ? reject(before, code === 'INVALID_REQUEST' ? null : code) : before;
  if (next.kind !== 'resubmit') return fail(state, failure);
  const pause = { until: Date.now() + next.delay, why: `trying again after ${code}` };
  const further: State = { ...state, parkedSince: undefined, stage: { at: 'submit', pause } };
  if (!next.newSeed || !planOf(state).takesSeed) return further;
  const seed = Math.floor(ownRandom().random() * 2 ** 31);
  // What was sent with the one before, and was given up, may still show up.
  return { ...further, seed, otherSeeds: [...state.otherSeeds, state.seed ?? null] };
}

/** Waits for credits, for as long as the policy says from the first refusal on. */
function park(state: State, end: Parked['end'], pace: Parked['pace'], lowest?: number): State {
  const parkedSince = state.parkedSince ?? Date.now();
  const until = parkedSince + pace.window;
  if (until <= Date.now()) return endParking(state, end);
  const parkId = ownRandom().uuid4(); // not the run's id: that changes in a Reset, and history must stay true
  const known = { price: knownPrice(state), lowest, again: parkedSince < Date.now() };
  const stage: Parked = { at: 'park', parkId, pace, until, end, looks: 0, isEnough: false, ...known };
  return { ...state, parkedSince, stage };
}

/**
 * Random numbers and ids that a replay draws again. Not `Math.random` or `uuid4`: an interceptor that makes spans draws
 * from these too, for queries as well, which are not replayed.
 */
export const ownRandom = (): WorkflowRandomStream => getRandomStream('darkroom');

/** Nobody has paid. */
export function endParking(state: State, { rejected, ...end }: Parked['end']): State {
  return fail(rejected ? reject(state, end.type) : state, end);
}

/** How long the task of an unknown submit is looked for, in milliseconds, and what follows then. */
export function patienceWith({ givenUp, stored }: UnknownSubmit, policy: Policy): Policy['reconcile'] {
  // One that was given up had its time, and was decided about.
  if (givenUp === true) return { wait: 0, otherwise: 'resubmit' };
  return stored === true ? { ...policy.reconcile, otherwise: 'ask' } : policy.reconcile;
}

/** A search that begins. */
export const SEARCHING = { at: 'reconcile', claims: 1, asked: 0 } as const;

/** Looks for the task that a submit may have bought. */
export function lookFor(state: State, unknown: UnknownSubmit): State {
  const policy = policyOf(state);
  const { seed } = unknown;
  // Nobody has seen the end of its request: for so long the API may still accept it, and its task comes after that.
  const open = unknown.inFlight ? policy.submit.timeout : 0;
  const pause = open + patienceWith(unknown, policy).wait;
  // The next submit may have another one; and who runs this again finds it here.
  const named = seed === undefined && state.seed !== undefined ? { ...unknown, seed: state.seed } : unknown;
  const search: Search = { unknown: named, claim: 'not yet' };
  const otherSeeds = seed === undefined ? state.otherSeeds : [...state.otherSeeds, seed];
  const stage: Reconciling = { ...SEARCHING, search, pause };
  return { ...state, otherSeeds, stage };
}

/**
 * The search is over without a task. Where nobody can tell what the submit has bought it goes on record; what an earlier
 * run has given up is an attempt of that one.
 *
 * @param gaveUpAt before its claim was withdrawn: what ends `unclaimed-tasks` from then on takes the evidence with it
 */
export function leaveSearch(run: Run, state: State, unknown: UnknownSubmit, gaveUpAt = Date.now()): State {
  const { since, givenUp } = unknown;
  const gaveUp = { unknown, at: gaveUpAt };
  const resolved = { ...state, resolvedUnknowns: [...state.resolvedUnknowns, since], gaveUp };
  return givenUp === true ? resolved : doubt(resolved, claimIdOf(run.firstRunId, since));
}

/**
 * How a search has ended; `not sent`: nothing was bought, for sure; `another task` is to be held, and what the submit has
 * bought stays unknown. `askedAt`: as `leaveSearch` needs it.
 */
export type SearchEnd =
  | { kind: 'task'; taskId: string }
  | { kind: 'another task'; taskId: string; askedAt: number }
  | { kind: 'not sent' }
  | { kind: 'resubmit' | 'fail'; askedAt: number };

export function endSearch(run: Run, state: State, unknown: UnknownSubmit, end: SearchEnd): State {
  if (end.kind === 'task' || end.kind === 'not sent') {
    const resolved = { ...state, resolvedUnknowns: [...state.resolvedUnknowns, unknown.since] };
    return end.kind === 'task' ? adopt(resolved, end.taskId) : at(resolved, { at: 'submit' });
  }
  const left = leaveSearch(run, state, unknown, end.askedAt);
  if (end.kind === 'another task') return adopt(left, end.taskId);
  const unknowns = left.unknowns + (unknown.givenUp === true ? 0 : 1);
  const message = `nobody can tell whether a task was bought: ${unknown.reason}`;
  return end.kind === 'fail' || unknowns >= MAX_UNKNOWN_IN_A_ROW
    ? fail(left, { type: 'SUBMISSION_UNKNOWN', message })
    : { ...left, unknowns, stage: { at: 'submit' } };
}

/** What one that was given up has bought may have failed long ago: the look before the next submit tells. */
export function adoptFound(run: Run, state: State, unknown: UnknownSubmit, taskId: string): State {
  if (unknown.givenUp !== true) return endSearch(run, state, unknown, { kind: 'task', taskId });
  const evidence = { ...state.evidence, granted: [...state.evidence.granted, taskId] };
  return endSearch(run, { ...state, evidence }, unknown, { kind: 'resubmit', askedAt: Date.now() });
}
