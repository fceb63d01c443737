import { beforeEach, describe, expect, it } from 'vitest';
import { Prices } from '../../../src/activities/account/prices.ts';

const PICTURE = { model: 'image-l', input: { prompt: 'a fox' } };

let alarms: string[];
let warnings: string[];
let prices: Prices;
beforeEach(() => {
  alarms = [];
  warnings = [];
  prices = new Prices({
    log: { warn: (_, message) => void warnings.push(message) },
    metrics: { priceAlarm: (model) => void alarms.push(model) },
  });
});

let count = 0;
function charged(
  credits: number,
  taskId = `task ${(count += 1)}`,
  priced: Parameters<Prices['of']>[0] = PICTURE,
) {
  const { facts } = prices.of(priced);
  prices.charged({ taskId, model: priced.model, credits, facts });
}

describe('a charge', () => {
  it('of more than three times its estimate is an alarm, and no other is', () => {
    for (const credits of [8, 24]) charged(credits);
    expect(alarms).toEqual([]);
    charged(73);
    expect(alarms).toEqual(['image-l']);
    expect(warnings).toEqual(['a task of image-l was charged 73 credits: 24 were expected']);
  });

  it('is no alarm where such tasks have cost as much', () => {
    for (const credits of [100, 8, 100]) charged(credits);
    expect(alarms).toEqual([]);
    charged(8);
    charged(101);
    expect(alarms).toEqual(['image-l']);
  });

  it('that becomes another one at the end of its task is an alarm, too, and what is expected from then on', () => {
    charged(8);
    charged(8, 'dearer');
    charged(80, 'dearer');
    expect(alarms).toEqual(['image-l']);
    expect(prices.of(PICTURE).cost).toEqual({ price: 80 });
  });

  it('is learned once of each task, however often its record is read', () => {
    const clip = { model: 'lip-sync-h', input: { video_url: 'https://a.example/1.mp4' } };
    for (let read = 0; read < 30; read += 1) charged(40, 'the same', clip);
    expect(prices.of(clip).cost).toEqual({ price: null, expected: 40 });
    for (let task = 0; task < 20; task += 1) charged(40, `another ${task}`, clip);
    expect(prices.of(clip).cost).toEqual({ price: 40 });
  });

  it('is of what its submit has known, whatever who looks at it knows', () => {
    const clip = { model: 'lip-sync-h', input: { video_url: 'https://a.example/1.mp4' } };
    const measured = { ...clip, sourceSeconds: { video_url: 4 } };
    charged(0, 'told late', measured);
    charged(40, 'told late', clip);
    expect(prices.of(measured).cost).toEqual({ price: 40 });
  });

  it('tells nothing where it was given back', () => {
    charged(8, 'refunded');
    charged(0, 'refunded');
    expect(prices.of(PICTURE).cost).toEqual({ price: 8 });
    expect(alarms).toEqual([]);
  });
});
