import { isRecord } from '../../api/json/is-record.ts';

/** How often a balance is looked at: growing pauses, in milliseconds. */
export interface LookPace {
  initial: number;
  factor: number;
  max: number;
}

/** Argument of the signal `parked`: a generation that waits for credits. */
export interface ParkedGeneration {
  parkId: string;
  workflowId: string;
  /** The run that waits. */
  runId?: string;
  /** Since when it has been without credits: its place in the queue (ms since the epoch). */
  parkedSince: number;
  /** How often the balance is looked at for it. */
  pace: LookPace;
  /** Credits that one task costs, where earlier attempts have shown it. */
  price?: number | undefined;
  /** The balance it was refused at, or the lowest one seen since: more than that is growth. */
  baseline?: number | undefined;
  /** It was released once and refused again. */
  refused?: boolean | undefined;
}

/** What the gate keeps of a parked generation: ids and numbers. In a list, without names: there may be thousands. */
export type GateEntry = [
  workflowId: string,
  parkId: string,
  runId: string | null,
  parkedSince: number,
  price: number | null,
  baseline: number | null,
  refused: 0 | 1,
];

/** The argument of `creditGate`: the rest is carried over by continue-as-new. */
export interface CreditGateState {
  workspace: string;
  /** At most 1.2 MB as JSON. */
  entries?: GateEntry[];
  pace?: LookPace;
}

/** A longer id is nobody's: Temporal's own limit is 1,000 bytes. */
const LONGEST_ID = 1_000;
/** Looks at the balance are no closer together than this (milliseconds). */
const SHORTEST_PAUSE = 20;
const LONGEST_PAUSE = 24 * 60 * 60 * 1_000;
const DEFAULT_PACE: LookPace = { initial: 30_000, factor: 1.5, max: 300_000 };

/** A signal's argument as it should be, or undefined: anybody can send one, and one that throws would stop a gate for good. */
export function readParked(value: unknown, now: number): ParkedGeneration | undefined {
  if (!isRecord(value)) return undefined;
  const { parkId, workflowId, runId, parkedSince, price, baseline, refused } = value;
  if (!isId(parkId) || !isId(workflowId)) return undefined;
  return {
    parkId,
    workflowId,
    ...(isId(runId) ? { runId } : {}),
    parkedSince: isNumber(parkedSince) ? Math.min(Math.max(0, parkedSince), now) : now,
    pace: readPace(value['pace']),
    ...(isNumber(price) && price > 0 ? { price } : {}),
    ...(isNumber(baseline) ? { baseline } : {}),
    ...(refused === true ? { refused } : {}),
  };
}

/** The argument of the signal `left` as it should be, or undefined. */
export function readParkId(value: unknown): string | undefined {
  return isId(value) ? value : undefined;
}

function readPace(value: unknown): LookPace {
  const { initial, factor, max } = isRecord(value) ? value : {};
  const first = between(SHORTEST_PAUSE, initial, LONGEST_PAUSE) ?? DEFAULT_PACE.initial;
  return {
    initial: first,
    factor: between(1, factor, 100) ?? DEFAULT_PACE.factor,
    max: between(first, max, LONGEST_PAUSE) ?? Math.max(first, DEFAULT_PACE.max),
  };
}

function between(least: number, value: unknown, most: number): number | undefined {
  return isNumber(value) ? Math.min(most, Math.max(least, value)) : undefined;
}

function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value);
}

function isId(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= LONGEST_ID;
}
