import pLimit from 'p-limit';
import type { Ask } from '../temporal/bill/bill-below.ts';
import { goesOn } from './goes-on.ts';

const AT_ONCE = 20;

/** So many questions of an activity, whatever they are about, are on their way at the same time. It tells that it goes on. */
export function someAtOnce(): Ask {
  const next = pLimit(AT_ONCE);
  return async (question) =>
    await next(async () => {
      goesOn();
      const answer = await question();
      goesOn();
      return answer;
    });
}

/** Does it for each, some at a time. */
export async function eachAtOnce<Item>(
  items: readonly Item[],
  look: (item: Item) => Promise<void>,
): Promise<void> {
  const ask = someAtOnce();
  await Promise.all(items.map((item) => ask(() => look(item))));
}
