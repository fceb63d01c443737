/** Settings of a Temporal server that keeps tests waiting for little. */
export const PROMPT = {
  // Timers come up to a second late by default, which is a long time in tests.
  'history.timerProcessorMaxTimeShift': '5ms',
  // What is deleted waits for what its queues have written down by then: half a minute, or a whole one.
  'history.transferProcessorEnsureCloseBeforeDelete': false,
  'history.visibilityProcessorEnsureCloseBeforeDelete': false,
} as const;
