/** Lets this process go on where a reader of what it prints has gone (`| head`). */
export function outliveReaders(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
}
