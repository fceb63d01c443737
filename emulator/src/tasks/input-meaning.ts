/** How many results an input asks for. Model S has a count of its own beside the usual one. */
export function resultCount(input: Record<string, unknown>): number {
  const count = input['num_images'] ?? input['n'];
  return typeof count === 'number' ? count : 1;
}

/** What an input is about: the text that is spoken, else its prompt (which may say how to speak). */
export function promptOf(input: Record<string, unknown>): string {
  const words = input['text'] ?? input['prompt'];
  return typeof words === 'string' ? words : '';
}
