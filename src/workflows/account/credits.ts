/** Sums of fractions are a little off. */
const TINY = 1e-6;

/**
 * Whether what is left holds a price.
 *
 * @param price null: nobody knows it
 */
export function admits(left: number, price: number | null): boolean {
  return price === null ? left > 0 : price <= left + TINY;
}

export function sumOf(all: readonly { credits: number }[]): number {
  return all.reduce((sum, { credits }) => sum + credits, 0);
}

export function rounded(credits: number): number {
  return Math.round(credits * 1e6) / 1e6;
}
