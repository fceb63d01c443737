/** A line for whoever watches a measurement: on standard error, so that the figures stay alone. */
export function progress(line: string): void {
  process.stderr.write(`  ${line}\n`);
}
