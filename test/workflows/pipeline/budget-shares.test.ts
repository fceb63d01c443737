import { expect, it } from 'vitest';
import { Budget, type Reservation } from '../../../src/workflows/pipeline/budget.ts';

/** How often a condition is looked at before it is taken for one that never holds. */
const LOOKS = 50;

/** Outside of a workflow nothing looks at conditions: here the event loop does. */
async function until(holds: () => boolean): Promise<void> {
  for (let looks = 0; looks < LOOKS; looks += 1) {
    if (holds()) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
  throw new Error('nobody decides');
}

it('what a budget of fractions does not admit is refused once nothing is reserved, and not waited for', async () => {
  const budget = new Budget(1, 0, until);
  const reserve = (path: string, price: number): Promise<Reservation | undefined> =>
    budget.reserve(path, () => price);
  const bought = await Promise.all([reserve('a', 0.3), reserve('b', 0.2), reserve('c', 0.1)]);
  expect(bought.map((reservation) => reservation?.most)).toEqual([0.3, 0.2, 0.1]);
  // 0.3 + 0.2 + 0.1 - 0.3 - 0.2 - 0.1 is not 0.
  for (const reservation of bought) reservation?.settle(reservation.most ?? 0);
  expect(await reserve('d', 0.5)).toBeUndefined();
});

it('what is only taken over is not waited for: nothing comes back from it', async () => {
  const budget = new Budget(10, 6, until);
  const taken = budget.hold(0);
  const asked = await Promise.all([budget.reserve('dear', () => 8), budget.reserve('cheap', () => 4)]);
  expect(asked.map((reservation) => reservation?.most)).toEqual([undefined, 4]);
  taken.settle(0);
});
