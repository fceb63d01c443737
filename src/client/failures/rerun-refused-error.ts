/** A run that cannot be run again like this. */
export class RerunRefusedError extends Error {
  override readonly name = 'RerunRefusedError';
}
