import type { SignalResult } from '../../temporal/event-sink.ts';

/** A signal that Temporal has not answered yet. */
export interface SignalUnderWay {
  taskId: string;
  type: string;
  result: Promise<SignalResult>;
}

/** The way to a workflow, with what this process has sent along it. */
export interface Route {
  readonly workflowId: string;
  /** Sent so far. */
  signals: number;
  /** Hardly ever more than one. */
  underWay: SignalUnderWay[];
}
