export type StepState = 'pending' | 'running' | 'attention' | 'done' | 'failed' | 'skipped';

/** One line of a progress display: a step of a pipeline, or a generation. */
export interface StepLine {
  name: string;
  model: string;
  state: StepState;
  /** What it is doing, in a few words. */
  note: string;
  /** Commands that it waits for: each is shown whole, once. */
  commands?: readonly string[] | undefined;
  /** Milliseconds so far, or in all; undefined before it started. */
  elapsed?: number | undefined;
}
