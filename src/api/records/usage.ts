/** Credits that a task cost, by the pool they came from. Plain data: the workflows use it too. */
export interface Usage {
  total: number;
  subscription: number;
  permanent: number;
}

export const NO_USAGE: Usage = { total: 0, subscription: 0, permanent: 0 };

/** The sum of two usages, pool by pool. */
export function addUsage(a: Usage, b: Usage): Usage {
  return {
    total: a.total + b.total,
    subscription: a.subscription + b.subscription,
    permanent: a.permanent + b.permanent,
  };
}

/** What purchases have cost together: the one sum that results, bills and budgets are made by. */
export function usageOf(purchases: Iterable<{ usage: Usage }>): Usage {
  let sum = NO_USAGE;
  for (const { usage } of purchases) sum = addUsage(sum, usage);
  return sum;
}

/** What is left of a usage without a part of it, pool by pool. */
export function subtractUsage(whole: Usage, part: Usage): Usage {
  return {
    total: whole.total - part.total,
    subscription: whole.subscription - part.subscription,
    permanent: whole.permanent - part.permanent,
  };
}

/** The three numbers of a usage, without what else the API may have put beside them. */
export function plainUsage({ total, subscription, permanent }: Usage): Usage {
  return { total, subscription, permanent };
}
