import { expect, it } from 'vitest';
import type { Payers } from '../../../src/activities/account/payers.ts';
import { Prices } from '../../../src/activities/account/prices.ts';
import { bookParts } from '../../../src/activities/batch/book-parts.ts';
import type { BatchRow, HoldForRow, PartToBook } from '../../../src/contract/batch.ts';
import type { PartBooking } from '../../../src/contract/entities/account.ts';
import type { PipelineRequest } from '../../../src/contract/pipeline.ts';
import { priceFacts } from '../../../src/policy/prices/price-facts.ts';

const pipeline: PipelineRequest = {
  steps: {
    stills: { model: 'image-l', input: { prompt: { $param: 'prompt' }, n: { $param: 'n' } } },
    each: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
  },
  params: { prompt: 'a fox', n: 1 },
};

const row = (values: Record<string, unknown>): BatchRow => ({ id: 'row', values, digest: 'x' });

const hold = (rows: BatchRow[], of: PipelineRequest = pipeline): HoldForRow => ({
  kind: 'hold',
  workflowId: 'batch/b/row',
  limit: 24,
  since: 1,
  pipeline: of,
  rows,
});

/** What is booked, and what is answered where the account refuses it. */
async function book(booking: PartToBook, prices = pricesOf()) {
  const booked: PartBooking[] = [];
  const bookPart: Payers['bookPart'] = (one) => {
    booked.push(one);
    return Promise.resolve({ kind: 'refused', spent: 0, reserved: 0, price: null, until: null, holders: [] });
  };
  const payers: Pick<Payers, 'bookPart'> = { bookPart };
  const [end] = await bookParts({ payers, prices }, [booking]);
  return { booked, end };
}

function pricesOf(): Prices {
  return new Prices({
    log: { warn: () => undefined },
    metrics: { priceAlarm: () => undefined },
  });
}

it('tells for a row what it buys by its plan, each kind once', async () => {
  const prices = pricesOf();
  const upscaled = { model: 'upscale-q', input: { image_url: 'https://a/b.png' } };
  prices.charged({ taskId: 'upscaled', model: 'upscale-q', credits: 4, facts: priceFacts(upscaled) });
  const { booked } = await book(hold([row({ n: 3 })]), prices);
  expect(booked).toMatchObject([
    {
      kind: 'hold',
      workflowId: 'batch/b/row',
      purchases: [
        { facts: { volume: 3 }, times: 1, credits: null },
        { facts: { volume: 1 }, times: 3, credits: 4 },
      ],
    },
  ]);
  expect(booked[0]).not.toHaveProperty('rows');
});

it('tells apart what a row buys only if a person approves it, or what it needs', async () => {
  const { stills, each } = pipeline.steps;
  const large = { model: 'upscale-q', input: { image_url: { $from: 'first' } } };
  const steps = { stills, first: { ...stills, approve: true }, large, each } as PipelineRequest['steps'];
  const { booked } = await book(hold([row({ n: 2 })], { ...pipeline, steps }));
  expect(booked).toMatchObject([
    {
      purchases: [
        { facts: { volume: 2 }, times: 1 },
        { facts: { volume: 1 }, times: 2 },
      ],
      later: [{ facts: { volume: 2 }, times: 1 }, { times: 1 }],
    },
  ]);
});

it('takes the average of what differs in volume alone', async () => {
  const steps = Object.fromEntries(
    [1, 2, 6].map((n) => [`still-${n}`, { model: 'image-l', input: { prompt: 'x', n } }]),
  );
  const { booked } = await book(hold([row({})], { steps }));
  expect(booked).toMatchObject([{ purchases: [{ facts: { volume: 3 }, times: 3 }] }]);
});

it('tells of the budget that a row has of its own', async () => {
  const { booked } = await book(hold([row({})], { ...pipeline, budget: { credits: 8 } }));
  expect(booked).toMatchObject([{ most: 8 }]);
});

it('tells how many rows after one that is refused buy the same', async () => {
  const alike = async (...others: Record<string, unknown>[]) => {
    const { end } = await book(hold([row({}), ...others.map(row)]));
    return end?.kind === 'refused' ? end.alike : undefined;
  };
  expect(await alike()).toBe(0);
  expect(await alike({ prompt: 'a lynx' }, { prompt: 'an owl' })).toBe(2);
  expect(await alike({ prompt: 'a lynx' }, { n: 2 }, {})).toBe(1);
});

it.each<[string, unknown]>([
  ['steps that are none', { steps: { still: null } }],
  [
    'references to nothing',
    { steps: { still: { model: 'image-l', input: { prompt: { $from: 'nothing' } } } } },
  ],
  ['steps in a circle', { steps: { a: { model: 'image-l', input: { prompt: { $from: 'a' } } } } }],
])('takes %s for nothing that is bought: the row ends by its own check', async (_, wrong) => {
  const { booked } = await book(hold([row({})], wrong as PipelineRequest));
  expect(booked).toMatchObject([{ purchases: [] }]);
});

it('plans no more than a pipeline may buy', async () => {
  const steps: PipelineRequest['steps'] = {};
  for (let n = 0; n < 8; n += 1)
    steps[`s${n}`] = {
      model: 'image-l',
      input: { prompt: 'x', n: 10, ...(n === 0 ? {} : { image_urls: [{ $each: `s${n - 1}` }] }) },
    };
  const { booked } = await book(hold([row({})], { steps }));
  expect(booked).toMatchObject([{ purchases: [{ times: 1_000 }] }]);
});
