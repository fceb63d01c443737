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

/**
 * The prompt as the moderation sees it. With `auto_fix` (model K: "automatic prompt rewriting to pass moderation") what it
 * would refuse is left out.
 */
export function moderatedPrompt(input: Record<string, unknown>, refused: string): string {
  const prompt = promptOf(input);
  return input['auto_fix'] === true ? prompt.replaceAll(refused, '').trim() : prompt;
}
