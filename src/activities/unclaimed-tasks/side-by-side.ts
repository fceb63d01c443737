import { goesOn } from '../goes-on.ts';

const SIDE_BY_SIDE = 20;

/** Does it for each, some at a time; the heartbeat tells that it goes on. */
export async function sideBySide<Item>(
  items: readonly Item[],
  look: (item: Item) => Promise<void>,
): Promise<void> {
  const next = items.values();
  const walk = async (): Promise<void> => {
    for (const item of next) {
      goesOn();
      await look(item);
    }
  };
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, walk));
}
