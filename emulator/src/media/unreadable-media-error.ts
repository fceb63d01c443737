/** An input file is not media of the expected kind, or is damaged: the caller's fault, not ours. */
export class UnreadableMediaError extends Error {
  override readonly name = 'UnreadableMediaError';
}
