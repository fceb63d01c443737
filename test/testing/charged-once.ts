import assert from 'node:assert/strict';
import { test } from 'node:test';
import { useEmulator } from '../../src/testing/index.ts';

void test('an order is charged once', async () => {
  await using darkroom = await useEmulator();
  const buy = () => darkroom.client.generate('image-l', { prompt: 'a red fox' }, { key: 'order-17' });
  await Promise.all([buy(), buy()]);
  assert.equal(darkroom.charges().length, 1);
});
