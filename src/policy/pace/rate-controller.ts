import type { PaceSample, RateState } from './types.ts';

/** Refusals within this time after the rate was lowered are answers to submits from before it (milliseconds). */
const SETTLE = 1_500;
/** How far back accepted submits are counted to tell what the API bears (milliseconds), or the time of ten. */
const MEMORY = 10_000;
const LONGEST_MEMORY = 60_000;
/** A refusal lowers the rate to what was accepted lately, between these shares of it. */
const LOWERED = { least: 0.6, most: 0.93 };
/** Seconds for which the rate stays after it was lowered; then it grows by the third power of the time. */
const STEADY = 3;
const PROBE = 20;
/** Seconds after which a slowed workspace that was not refused any more needs no slowing. */
const RECOVERED = 120;
/** No rate above this is kept up: submits a second. */
const HIGHEST = 1_000;

/**
 * How fast a workspace may submit, by what the API accepts and refuses: a refusal lowers the rate to what was accepted
 * lately, where it stays and then probes for more, ever faster, until the next refusal (as TCP CUBIC does). Pure.
 *
 * @param rate submits a second to begin with
 * @param floor the lowest rate that it may fall to
 */
export function startRate(rate: number, floor: number, now: number): RateState {
  return { known: Math.max(rate, floor), isFirst: true, growsSince: now, loweredAt: now, floor, recent: [] };
}

/** The rate at that time, submits a second. It grows by itself until the next refusal. */
export function rateAt(state: RateState, now: number): number {
  const probing = Math.max(0, (now - state.growsSince) / unit(state) - STEADY);
  return Math.min(HIGHEST, state.known * (1 + (probing / PROBE) ** 3));
}

/** How long it takes until the workspace needs no slowing, if the API refuses nothing more; milliseconds. */
export function recoversIn(state: RateState, now: number): number {
  return Math.max(0, state.growsSince + RECOVERED * unit(state) - now);
}

/**
 * Takes in what has happened since the last sample.
 *
 * @param pausedUntil until when nothing is submitted anyway: growth begins after it
 */
export function observe(before: RateState, sample: PaceSample, pausedUntil: number): RateState {
  const now = sample.at;
  const recent = [...before.recent, sample].filter(({ at }) => at > now - memory(before));
  const state = { ...before, recent, growsSince: Math.max(before.growsSince, pausedUntil) };
  const accepted = recent.reduce((sum, one) => sum + one.accepted, 0);
  if (now < state.loweredAt + SETTLE)
    // Several processes meet the limit at the same time: what they had accepted adds up.
    return state.isFirst ? { ...state, known: Math.max(state.known, accepted) } : state;
  if (sample.refused === 0) return state;
  const rate = rateAt(before, now);
  const borne = (1_000 * accepted) / (1_000 + now - (recent[0]?.at ?? now));
  const lowered = Math.min(Math.max(LOWERED.least * rate, borne), LOWERED.most * rate);
  return {
    ...state,
    known: Math.max(state.floor, lowered),
    isFirst: false,
    growsSince: Math.max(now, pausedUntil),
    loweredAt: now,
  };
}

/** A slow limit takes longer to show itself. */
function unit({ known }: RateState): number {
  return 1_000 * Math.max(1, 1 / known);
}

function memory({ known }: RateState): number {
  return Math.min(LONGEST_MEMORY, Math.max(MEMORY, 10_000 / known));
}
