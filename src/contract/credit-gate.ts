import type { Pace } from '../policy/policy.ts';

/** A generation that waits for credits. Plain type: activities use it too. */
export interface ParkedGeneration {
  parkId: string;
  workflowId: string;
  /** Since when it has been without credits: its place in the queue (ms since the epoch). */
  parkedSince: number;
  /** How often the balance is checked for it. */
  pace: Pace;
  /** Credits that one task costs, where earlier attempts have shown it. */
  price?: number;
  /** The balance it was refused at, then the lowest one seen while it waits: more than that is growth. */
  baseline?: number;
}

export interface QueuedGeneration extends ParkedGeneration {
  /** It was released once and refused again. */
  refused?: boolean;
}

/** The argument of `creditGate`: the rest is carried over by continue-as-new. */
export interface CreditGateState {
  workspace: string;
  queue?: QueuedGeneration[];
}
