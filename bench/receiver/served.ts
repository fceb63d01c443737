/** What a measured server tells its parent. */
export type FromServer = { port: number } | { cpu: number; heap: number; rss: number };

/**
 * Tells the parent process the port, and on each of its messages the processor time used so far (µs) and the
 * memory in use (bytes). Ends with the parent.
 */
export function serve(port: number): void {
  process.on('disconnect', () => process.exit(0));
  process.on('message', () => {
    globalThis.gc?.();
    const { user, system } = process.cpuUsage();
    const { heapUsed, external, rss } = process.memoryUsage();
    process.send?.({ cpu: user + system, heap: heapUsed + external, rss } satisfies FromServer);
  });
  process.send?.({ port } satisfies FromServer);
}
