import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEmulator } from 'temporal-darkroom/testing';

void test('an order is charged once, although the answer to its submit gets lost', async (t) => {
  const lost = { on: 'submit', times: 1, fault: { kind: 'lost-after' } };
  const darkroom = await useEmulator({ faults: [lost] });
  t.after(() => darkroom.stop());
  const buy = () => darkroom.client.generate('image-l', { prompt: 'a red fox' }, { key: 'order-17' });
  await Promise.all([buy(), buy()]);
  assert.equal(darkroom.charges().length, 1);
});
