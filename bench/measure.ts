import { median, quantile } from 'simple-statistics';
import { progress } from './progress.ts';

export { median } from 'simple-statistics';

/** One measured figure, as `npm run bench -- <name> --json` prints it. */
export interface Figure {
  name: string;
  value: number;
  unit: string;
  /** What it has to be, e.g. `>= 0.85`; null where nothing was promised. */
  target: string | null;
  rounds: number;
  /** Lowest and highest of the rounds. */
  spread: readonly [number, number];
  /** What it was measured against, with its own value. */
  baseline: string;
}

/** The value below which this share of the values lies, e.g. 0.99. */
export function percentile(values: readonly number[], share: number): number {
  return quantile([...values], share);
}

/**
 * Measures several variants in turns, `rounds` times each after one unmeasured round, so that whatever else the
 * machine does hits all of them. The order alternates, for the same reason.
 *
 * @returns what each variant gave, round by round
 */
export async function interleave<Name extends string, Sample = number>(
  rounds: number,
  variants: Record<Name, () => Sample | Promise<Sample>>,
): Promise<Record<Name, Sample[]>> {
  const names = Object.keys(variants) as Name[]; // the record's own keys
  const samples = Object.fromEntries(names.map((name) => [name, []])) as unknown as Record<Name, Sample[]>; // filled below
  for (let round = 0; round <= rounds; round++) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      progress(`${round === 0 ? 'warming up' : `round ${round} of ${rounds}`}: ${name}`);
      const sample = await variants[name]();
      if (round > 0) samples[name].push(sample);
    }
  }
  return samples;
}

/** The ratio of two variants in the same round, for each round. */
export function ratios(values: readonly number[], baseline: readonly number[]): number[] {
  return values.map((value, round) => value / (baseline[round] ?? Number.NaN));
}

/** A figure out of its rounds: the median with the spread. */
export function figure(
  name: string,
  values: readonly number[],
  { unit, target = null, baseline }: { unit: string; target?: string | null; baseline: string },
): Figure {
  return {
    name,
    value: rounded(median([...values])),
    unit,
    target,
    rounds: values.length,
    spread: [rounded(Math.min(...values)), rounded(Math.max(...values))],
    baseline,
  };
}

/** Three significant digits, integers above a hundred. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
