import type { Model } from '../../../src/api/models/define-model.ts';
import type { ModelId } from '../../../src/api/models/registry.ts';
import type { Assumptions } from '../assumptions.ts';
import { resultCount } from '../tasks/input-meaning.ts';

/**
 * What a task costs, whole credits: price of one result times the results asked for.
 *
 * @param sourceSeconds how long the longest of its sources lasts that are heard or seen as they run
 */
export function price(
  { id, model }: { id: ModelId; model: Model },
  input: Record<string, unknown>,
  assumptions: Assumptions,
  sourceSeconds: number,
): number {
  const { prices, defaultOutputSeconds, creditsPerUsd, creditsPerSourceSecond } = assumptions;
  const { duration = defaultOutputSeconds } = input;
  const bySecond = (model.cost?.usdPerOutputSecond ?? 0) * Number(duration) * creditsPerUsd;
  const { [id]: sourceSecond } = creditsPerSourceSecond;
  const one = sourceSecond === undefined ? (prices[id] ?? bySecond) : sourceSecond * sourceSeconds;
  const exact = one * resultCount(input);
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(1, Math.ceil(exact - 1e-9)));
}
