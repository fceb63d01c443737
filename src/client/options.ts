import type { PolicySubset } from '../policy/policy-subset.ts';

/** `"500ms"`, `"10s"`, `"2m"`, `"1h"`, `"1d"`, or a number of milliseconds. */
export type Duration = `${number}${'ms' | 's' | 'm' | 'h' | 'd'}` | number;

/** How long an answer of Temporal's is waited for. Whatever ends it, what was asked for may have been done. */
export interface CallOptions {
  /** Ends the call with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Ends the call with a TemporalUnreachable after so long. 20 seconds when absent. */
  timeout?: Duration | undefined;
}

/** How somebody waits. Whatever ends the waiting, the work goes on. */
export interface WaitOptions {
  /** Ends the waiting with a StillRunningError, whose `cause` is the signal's reason. */
  signal?: AbortSignal | undefined;
  /** Ends the waiting with a StillRunningError after so long. As long as it takes when absent. */
  timeout?: Duration | undefined;
  /**
   * What to do when no worker has polled the run's task queue for minutes: `fail`, with a NoWorkerError after a few
   * seconds, or `wait` for one. `fail` when absent.
   */
  withoutWorker?: 'fail' | 'wait' | undefined;
}

/** How somebody waits who wants to see how the run stands meanwhile. */
export interface WatchOptions<Progress> extends WaitOptions {
  /**
   * Told how the run stands, each time that has changed, at most once a second. What it throws ends the waiting.
   * Of the run's end only where a worker answers within two seconds: the result does not wait for longer.
   */
  onProgress?: ((progress: Progress) => void) | undefined;
}

export interface StartOptions {
  /**
   * The idempotency key: the workflow id is `generation/<key>`, `pipeline/<key>` or `batch/<key>`. The same key is the same
   * purchase, for as long as Temporal keeps the run (the namespace's retention). Random when absent.
   */
  key?: string | undefined;
  /**
   * Where the worker says that the run has ended: a POST that `verifyCallback` reads. Below one of the `callbacks` in the
   * worker's DARKROOM_CONFIG. The same key does not call another one.
   */
  callback?: string | undefined;
  /** 1 (first) to 5; Temporal's default is 3. */
  priority?: 1 | 2 | 3 | 4 | 5 | undefined;
}

export interface BatchOptions extends Pick<StartOptions, 'key' | 'callback'> {
  /** Names the value of each row that is its id, so that `batch/<key>/<id>` is its pipeline; absent: what is in it. */
  rowKey?: string | undefined;
  /** How many rows run at once: 50 when absent, 200 at most. */
  concurrency?: number | undefined;
  /** For all rows together. */
  budget?: { credits: number } | undefined;
  /** Whether rows that failed in an earlier run of the key are run once more. */
  retryFailed?: boolean | undefined;
}

export interface GenerationOptions<TemplateId extends string | undefined = string | undefined>
  extends StartOptions {
  /** A template of the API: it completes the input, which then may leave any field open. */
  templateId?: TemplateId;
  /** A workspace that the worker is configured for; `default` when absent. */
  workspace?: string | undefined;
  /** What follows each failure, and how long what is waited for: docs/policy.md. */
  policy?: PolicySubset | undefined;
  /** Up to 8 short words of one's own, like `{ team: 'film' }`: for lists and costs. */
  tags?: Record<string, string> | undefined;
}
