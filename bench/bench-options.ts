/** How thoroughly a part is to measure. */
export interface BenchOptions {
  /** How often each variant is measured; a part may have a lower bound of its own. */
  rounds: number;
  /** Small numbers and few rounds: to see that it works, not for figures. */
  quick: boolean;
}
