/** The command line was wrong; exit code 2. The message is meant to be printed as it is. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
