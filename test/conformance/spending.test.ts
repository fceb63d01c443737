import { expect, test } from 'vitest';
import { NotHere } from './service/not-here.ts';
import { Spending } from './service/spending.ts';

const NOTHING = new Headers();
const costs = (total: number) => () =>
  Promise.resolve({ status: 202, headers: NOTHING, body: { usage: { total } } });
const refused = () => Promise.resolve({ status: 422, headers: NOTHING, body: {} });

test('nothing is submitted until a cap says how much may be spent', async () => {
  let sent = 0;
  const submit = () => {
    sent += 1;
    return refused();
  };
  await expect(new Spending(0, 1000).during(submit)).rejects.toThrow(/CONFORMANCE_MAX_CREDITS/);
  expect(sent).toBe(0);
});

test('nothing more is submitted once the cap is reached, not even what ought to be refused', async () => {
  const spending = new Spending(10, 1000);
  await spending.during(costs(6));
  await spending.during(refused);
  await spending.during(costs(6));
  await expect(spending.during(refused)).rejects.toThrow(/12 of CONFORMANCE_MAX_CREDITS 10/);
});

test.each([
  ['gets lost', () => Promise.reject(new Error('socket hang up'))],
  ['does not say what it cost', () => Promise.resolve({ status: 201, headers: NOTHING, body: { id: 't1' } })],
])('when an answer %s, that was the last submit', async (_what, submit) => {
  const spending = new Spending(10, 1000);
  await expect(spending.during(submit)).rejects.toThrow(/socket|usage/);
  await expect(spending.during(costs(1))).rejects.toThrow(NotHere);
});

test('a rate limit is waited out, as long as the patience lasts', async () => {
  const limited = { status: 429, headers: new Headers({ 'retry-after': '1' }), body: {} };
  const answers = [limited];
  const submit = () => Promise.resolve(answers.shift() ?? { status: 422, headers: NOTHING, body: {} });
  expect((await new Spending(10, 5000).during(submit)).status).toBe(422);
  const impatient = await new Spending(10, 500).during(() => Promise.resolve(limited));
  expect(impatient.status).toBe(429);
});
