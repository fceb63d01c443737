/** Whether lines can be rewritten on a stream: a terminal that says it is dumb takes them one after the other. */
export function isLive(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true && process.env['TERM'] !== 'dumb';
}
