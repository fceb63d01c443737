/** The Temporal dev server did not start, or ended by itself. The message has its last words and is meant for people. */
export class DevServerError extends Error {
  override readonly name = 'DevServerError';
}
