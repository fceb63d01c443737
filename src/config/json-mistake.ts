/**
 * Where a text stops being JSON, as `line 3, column 14`. JSON.parse's own message is of no use here: it quotes
 * the text around the mistake, which may be a key.
 */
export function findJsonMistake(text: string): string {
  let from = 0;
  let to = text.length;
  // The beginnings of the text that hold the mistake are refused for it, the shorter ones for being incomplete.
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (isIncomplete(text.slice(0, middle + 1))) from = middle + 1;
    else to = middle;
  }
  const before = text.slice(0, from).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

function isIncomplete(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    const message = error instanceof Error ? error.message : '';
    const position = /at position (\d+)/.exec(message)?.[1];
    if (position !== undefined) return Number(position) >= text.length;
    return message.startsWith('Unexpected end');
  }
}
