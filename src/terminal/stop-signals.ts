/** What asks a program to end: Ctrl-C, a service manager or a container, a terminal that goes away. */
export const STOP_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Calls `stop` at the first such signal; a second one of the same kind ends the process at once. The listeners stay:
 * with them gone, another one in this process (a live display's, say) could end it before it has stopped in order.
 */
export function onStopSignal(stop: () => void, exitCodeAtOnce: number): void {
  for (const signal of STOP_SIGNALS) {
    let hasCome = false;
    process.on(signal, () => {
      if (hasCome) process.exit(exitCodeAtOnce);
      hasCome = true;
      stop();
    });
  }
}
