import type { PaceSample, RateState } from './types.ts';

/** Refusals within this time after the rate was lowered are answers to submits from before it (milliseconds). */
const SETTLE = 1_500;
/** How far back accepted submits are counted to tell what the API bears (milliseconds), or the time of ten. */
const MEMORY = 10_000;
const LONGEST_MEMORY = 60_000;
/** So many accepted submits tell the API's limit well. */
const SURE = 20;
/** A larger share of refusals, or of time in pauses, means that the rate is far too high. */
const MANY_REFUSED = 0.15;
const MANY_PAUSES = 0.2;
/** Units of time for which the rate stays after it was lowered; then it grows by the third power. */
const STEADY = 10;
const PROBE = 20;
/** Units after which a slowed workspace that was not refused any more needs no slowing. */
const RECOVERED = 120;
/** No rate above this is kept up: submits a second. */
const HIGHEST = 1_000;
/** A task queue has four partitions by default: when one is left, it has a quarter of the queue's rate. */
const MAX_SPREAD = 4;

/**
 * How fast a workspace may submit, by what the API accepts and refuses. Pure.
 *
 * Modelled on TCP CUBIC. First the rate doubles every three seconds until the API refuses. From then on it falls to
 * what was accepted lately whenever the API refuses, stays there, then probes for more, ever faster, until the
 * next refusal. Most APIs let a second's worth of submits save up, so that a rate around the limit uses it to the
 * full at a refusal or two in twenty seconds; and a lifted limit is found within a minute.
 *
 * @param rate submits a second to begin with
 * @param floor the lowest rate that it may fall to
 */
export function startRate(rate: number, floor: number, now: number): RateState {
  return {
    known: Math.max(rate, floor),
    searching: true,
    sureness: 1,
    growsSince: now,
    loweredAt: now,
    floor,
    spread: 1,
    recent: [],
  };
}

/** The rate at that time, submits a second. It grows by itself until the next refusal. */
export function rateAt(state: RateState, now: number): number {
  const { known, searching } = state;
  const units = Math.max(0, now - state.growsSince) / unit(state);
  if (searching) {
    // No faster than it is used: otherwise the first ones to come would find no limit at all.
    const { accepted, refused } = within(state, now - 2_500, now);
    const used = (accepted + refused) / 2.5;
    return Math.min(HIGHEST, known * 2 ** (units / 3), Math.max(known, 2 * used));
  }
  const probing = Math.max(0, units - STEADY);
  return Math.min(HIGHEST, known * (1 + (probing / PROBE) ** 3));
}

/** How long it takes until the workspace needs no slowing, if the API refuses nothing more; milliseconds. */
export function recoversIn({ growsSince, known }: RateState, now: number): number {
  return Math.max(0, growsSince + RECOVERED * 1_000 * Math.max(1, 1 / known) - now);
}

/**
 * Takes in what has happened since the last sample.
 *
 * @param pausedUntil until when nothing is submitted anyway: growth begins after it
 */
export function observe(before: RateState, sample: PaceSample, pausedUntil: number): RateState {
  const now = sample.at;
  const recent = [...before.recent, sample].filter(({ at }) => at > now - memory(before));
  const state = { ...before, recent };
  const fresh = now < state.loweredAt + SETTLE;
  if (sample.refused > 0 && !fresh) return lower(state, now, pausedUntil);
  // Several processes meet the limit at the same time: what they had accepted adds up.
  const known = state.searching && fresh ? Math.max(state.known, sumOf(recent).accepted) : state.known;
  // A pause proves nothing, so it does not count.
  const growsSince = Math.max(Math.min(now, state.growsSince + sample.paused), pausedUntil);
  return { ...state, known, growsSince, spread: spreadAfter(state, now) };
}

function lower(state: RateState, now: number, pausedUntil: number): RateState {
  const rate = rateAt(state, now);
  const { accepted, seconds } = within(state, now - memory(state), now);
  return {
    ...state,
    known: Math.max(state.floor, borneRate(state, rate, accepted / seconds, now)),
    searching: false,
    sureness: between(0.03, accepted / SURE, 1),
    growsSince: Math.max(now, pausedUntil),
    loweredAt: now,
    spread: 1,
  };
}

/** What was accepted lately, but no sudden change: it says little about what would have been accepted. */
function borneRate(state: RateState, rate: number, acceptedRate: number, now: number): number {
  const { accepted, refused, paused, seconds } = within(state, state.loweredAt, now);
  // One refusal is never many.
  if (refused - 1 > MANY_REFUSED * (accepted + refused)) {
    return between(0.5 * rate, acceptedRate, 0.85 * rate);
  }
  // A second's pause for a refusal uses up what a far too high rate gains: the refusals stay few.
  if (paused > MANY_PAUSES * seconds) return between(0.6 * rate, 1.2 * acceptedRate, 0.93 * rate);
  return between(0.93 * rate, acceptedRate, rate);
}

/** What flows out of the queue falls short of the rate when partitions have run dry: the others get more then. */
function spreadAfter(state: RateState, now: number): number {
  if (state.searching) return 1;
  const first = state.recent.find(({ at }) => at > now - 3_000);
  if (first === undefined || now - first.at < 1_500) return state.spread;
  const { flow } = within(state, first.at, now);
  if (flow === 0) return 1;
  const wanted = (rateAt(state, now) * (now - first.at)) / 1_000;
  const short = wanted / flow;
  if (short > 0.97 && short < 1.15) return state.spread;
  return between(1, state.spread * Math.min(1.4, short), MAX_SPREAD);
}

function within({ recent }: RateState, from: number, to: number) {
  const begin = Math.max(from, (recent[0]?.at ?? to) - 1_000);
  return {
    ...sumOf(recent.filter(({ at }) => at > from)),
    seconds: Math.max(1, (to - begin) / 1_000),
  };
}

function sumOf(samples: readonly PaceSample[]) {
  const sum = { accepted: 0, refused: 0, flow: 0, paused: 0 };
  for (const { accepted, refused, held, paused } of samples) {
    sum.accepted += accepted;
    sum.refused += refused;
    sum.flow += accepted + refused + held;
    sum.paused += paused / 1_000;
  }
  return sum;
}

/** A slow limit takes longer to show itself, and an unsure one is to be corrected soon. */
function unit({ known, sureness, searching }: RateState): number {
  return 1_000 * (searching ? Math.max(1, 1 / known) : sureness * Math.max(1, 4 / known));
}

function memory({ known }: RateState): number {
  return between(MEMORY, 10_000 / known, LONGEST_MEMORY);
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
