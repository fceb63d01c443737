/**
 * What became of a verified event. `acknowledged` says whether the sender may forget it; the others are
 * answered 503, so that it delivers again.
 */
export const OUTCOMES = {
  /** Signalled; this process submitted the task. */
  'routed by map': { acknowledged: true },
  /** Signalled; found in visibility. */
  'routed by visibility': { acknowledged: true },
  /** The workflow is closed. */
  closed: { acknowledged: true },
  /** The workflow has had its share of signals; its poll settles it. */
  'signals exhausted': { acknowledged: true },
  /** A terminal event of a task that no workflow holds, and that does not tell enough of it to be claimed by. */
  unrouted: { acknowledged: true },
  /** A created or started task that a workflow holds. */
  held: { acknowledged: true },
  /** A task that nobody is known to hold: `unclaimed-tasks/<workspace>` knows of it now. */
  unclaimed: { acknowledged: true },
  /** `task.created` or `task.started` of a task whose other one came before. */
  'not routed': { acknowledged: true },
  /** An event type that this version does not know; test deliveries among them. */
  'unknown type': { acknowledged: true },
  /** This `webhook-id` was acknowledged before. */
  duplicate: { acknowledged: true },
  /** Temporal cannot be reached or refuses. */
  unavailable: { acknowledged: false },
  /** Too many events are held already. */
  'too many held': { acknowledged: false },
} as const satisfies Record<string, { acknowledged: boolean }>;

export type Outcome = keyof typeof OUTCOMES;
