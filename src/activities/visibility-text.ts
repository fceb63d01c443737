/** A text as a value in a query of Temporal's visibility. */
export function visibilityText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
