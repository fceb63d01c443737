import { expect, it } from 'vitest';
import { Prices } from '../../../src/activities/account/prices.ts';

it('a charge of more than three times its estimate is an alarm, and no other is', () => {
  const alarms: string[] = [];
  const warnings: string[] = [];
  const prices = new Prices({
    log: { warn: (_, message) => void warnings.push(message) },
    metrics: { priceAlarm: (model) => void alarms.push(model) },
  });
  const picture = { model: 'image-l', input: { prompt: 'a fox' } };
  for (const credits of [100, 8, 300]) prices.paid(picture, credits);
  expect(alarms).toEqual([]);
  prices.paid(picture, 901);
  expect(alarms).toEqual(['image-l']);
  expect(warnings).toEqual(['a task of image-l was charged 901 credits: such tasks have cost 300']);
});
