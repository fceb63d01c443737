import type { PaceSample, RateState } from './contract.ts';

/** Refusals within this time after a decrease are answers to submits from before it (milliseconds). */
const SETTLE = 1_500;
/** How far back accepted submits are counted to tell what the API bears (milliseconds). */
const MEMORY = 10_000;
const SURE = 20;
/** More refused than this, and the rate is simply set to what was accepted. */
const MANY_REFUSED = 0.15;
const MANY_PAUSED = 0.25;
/** Growth up to the ceiling takes this many time units. */
const RETURN = 6;
/** Growth above the ceiling: barely any at first, then by the third power of the time. */
const PROBE = 20;
/** Units without a refusal after which nothing needs to be slowed any more. */
const RECOVERED = 120;
/** A task queue has four partitions by default: when one is left, it has a quarter of the queue's rate. */
const MAX_SPREAD = 4;

/**
 * How fast a workspace may submit, by what the API accepts and refuses. Pure.
 *
 * Modelled on TCP CUBIC: after a refusal the rate falls a little below what was accepted lately, returns quickly
 * to that, stays there, and then probes for more, ever faster, until the next refusal. Most APIs let a second's
 * worth of submits save up, so staying around the limit uses it to the full at a refusal or two in 20 seconds.
 *
 * @param rate submits a second to begin with
 * @param floor the lowest rate that it may fall to
 */
export function startRate(rate: number, floor: number, now: number): RateState {
  const base = Math.max(rate, floor);
  return {
    base,
    ceiling: base,
    searching: true,
    growsSince: now,
    loweredAt: now,
    sureness: 1,
    floor,
    spread: 1,
    recent: [],
  };
}

/** The rate at that time, submits a second. It grows by itself until the next refusal. */
export function rateAt(state: RateState, now: number): number {
  return Math.min(1000, grown(state, now));
}

function grown(state: RateState, now: number): number {
  const units = unitsOfGrowth(state, now);
  const { base, ceiling, searching } = state;
  if (searching)
    return Math.min(
      base * 2 ** (units / 2),
      Math.max(base, (2 * within(state, now, now - 2_500).flow) / 2.5),
    );
  if (units < RETURN) return ceiling - (ceiling - base) * (1 - units / RETURN) ** 3;
  const probing = units - RETURN;
  return ceiling * (1 + 0.002 * probing + (probing / PROBE) ** 3);
}

/** Whether the API has not refused anything for so long that the workspace need not be slowed. */
export function hasRecovered(state: RateState, now: number): boolean {
  return recoversIn(state, now) === 0;
}

/** How long it takes at most until it has recovered, from now, in milliseconds. */
export function recoversIn(state: RateState, now: number): number {
  return Math.max(0, state.growsSince + RECOVERED * 1000 * Math.max(1, 1 / state.ceiling) - now);
}

/**
 * Takes in what has happened since the last sample.
 *
 * @param pausedUntil until when nothing is submitted anyway: growth begins after it
 */
export function observe(state: RateState, sample: PaceSample, pausedUntil: number): RateState {
  const now = sample.at;
  const recent = [...state.recent, sample].filter(({ at }) => at > now - memory(state));
  const next = { ...state, recent };
  if (sample.refused > 0 && now >= state.loweredAt + SETTLE) return lower(next, now, pausedUntil);
  if (next.searching && now < state.loweredAt + SETTLE) {
    const accepted = recent.reduce((sum, s) => sum + s.accepted, 0);
    if (accepted > next.base) return { ...next, base: accepted, ceiling: accepted };
  }
  return {
    ...next,
    growsSince: Math.max(Math.min(now, state.growsSince + sample.paused), pausedUntil),
    spread: spreadAfter(next, now),
  };
}

function lower(state: RateState, now: number, pausedUntil: number): RateState {
  const rate = rateAt(state, now);
  const { accepted, seconds } = within(state, now, now - memory(state));
  const measured = accepted / seconds;
  const since = within(state, now, state.loweredAt);
  // One refusal is never many.
  const many =
    since.refused - 1 > MANY_REFUSED * (since.accepted + since.refused) ||
    since.paused > MANY_PAUSED * since.seconds;
  const borne = many ? between(rate / 2, measured, 0.85 * rate) : between(0.93 * rate, measured, rate);
  const ceiling = Math.max(state.floor, borne);
  return {
    ...state,
    base: Math.max(state.floor, 0.93 * ceiling),
    ceiling,
    searching: false,
    growsSince: Math.max(now, pausedUntil),
    loweredAt: now,
    sureness: Math.min(1, Math.max(0.03, accepted / SURE)),
    spread: 1,
  };
}

function within(state: RateState, now: number, from: number) {
  const sum = { accepted: 0, refused: 0, flow: 0, seconds: 0, paused: 0 };
  const first = state.recent[0];
  for (const sample of state.recent) {
    if (sample.at <= from) continue;
    sum.accepted += sample.accepted;
    sum.refused += sample.refused;
    sum.paused += sample.paused / 1_000;
    sum.flow += sample.accepted + sample.refused + sample.held;
  }
  sum.seconds = Math.max(1, (now - Math.max(from, (first?.at ?? now) - 1_000)) / 1_000);
  return sum;
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function spreadAfter(state: RateState, now: number): number {
  const last = state.recent.filter(({ at }) => at > now - 3_000);
  const [first] = last;
  if (first === undefined || now - first.at < 1_500) return state.spread;
  const { flow } = within(state, now, first.at);
  if (flow === 0) return 1;
  const short = (rateAt(state, now) * (now - first.at)) / 1_000 / flow;
  if (short > 0.97 && short < 1.15) return state.spread;
  return between(1, state.spread * Math.min(1.4, short), MAX_SPREAD);
}

/** Slow limits take longer to show themselves: a unit is a second, or the time of four submits. */
function unit({ ceiling, sureness, searching }: RateState): number {
  if (searching) return 1_000 * Math.max(1, 1 / ceiling);
  return 1_000 * sureness * Math.max(1, 4 / ceiling);
}

function unitsOfGrowth(state: RateState, now: number): number {
  return Math.max(0, now - state.growsSince) / unit(state);
}

function memory({ ceiling }: RateState): number {
  return Math.min(60_000, Math.max(MEMORY, 10_000 / ceiling));
}
