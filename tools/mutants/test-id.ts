/** A test's id: its file's path and its full name. */
export function idOf(path: string, name: string): string {
  return `${path}#${name}`;
}
