import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  acceptedSchema,
  generationSchema,
  imageOutputSchema,
  QUEUE_STATES,
  readGenerationSchema,
  submittedSchema,
  TERMINAL_STATES,
  videoOutputSchema,
} from '../../src/api/records/generation-record.ts';

const usage = { total: 8, subscription: 5, permanent: 3 };
const queued = { id: 't1', status: 'IN_QUEUE', input: { prompt: 'a fox', n: 1 }, usage };
const url = 'https://cdn.example.com/out';
const completed = (data: unknown) => ({ ...queued, status: 'COMPLETED', data });
const failed = {
  ...queued,
  status: 'FAILED',
  data: null,
  code: 'IMAGE_GENERATION_TIMEOUT',
  message: 'Late.',
};

const fits = (record: unknown) => generationSchema.safeParse(record).success;

describe('the contract of a task record', () => {
  it('knows the five states, and data only when the task has completed', () => {
    expect(QUEUE_STATES).toEqual(['IN_QUEUE', 'IN_PROGRESS', 'COMPLETED', 'FAILED', 'CANCELED']);
    for (const status of QUEUE_STATES) {
      const more = status === 'FAILED' ? { code: 'X', message: 'x' } : {};
      expect(fits({ ...queued, ...more, status, data: null })).toBe(status !== 'COMPLETED');
      expect(fits({ ...queued, ...more, status, data: url })).toBe(status === 'COMPLETED');
    }
    expect(fits({ ...queued, status: 'PAUSED', data: null })).toBe(false);
  });

  it('has a code and a message when the task has failed', () => {
    expect(fits(failed)).toBe(true);
    for (const missing of ['code', 'message']) expect(fits({ ...failed, [missing]: undefined })).toBe(false);
  });

  it('may have a code and a message in any other state, where nothing hangs on them', () => {
    const more = { code: 'IMAGE_GENERATION_FAILED', message: 'At the second try.' };
    for (const status of QUEUE_STATES) {
      const record = { ...queued, status, data: status === 'COMPLETED' ? url : null };
      expect([status, fits(record)]).toEqual([status, status !== 'FAILED']);
      expect([status, fits({ ...record, ...more })]).toEqual([status, true]);
      expect([status, fits({ ...record, ...more, code: 5 })]).toEqual([status, false]);
      expect(readGenerationSchema.parse({ ...record, ...more })).toMatchObject({ status, ...more });
    }
  });

  it('has every required property and no others', () => {
    expect(fits({ ...failed, started_at: null })).toBe(false);
    for (const missing of ['id', 'status', 'input', 'data', 'usage']) {
      const { [missing]: _left, ...rest }: Record<string, unknown> = failed;
      expect([missing, fits(rest)]).toEqual([missing, false]);
    }
    expect(fits({ ...failed, usage: { total: 8, subscription: 8 } })).toBe(false);
  });

  it('has no data in the answer to a submit, which is queued', () => {
    const fits = (record: unknown) => submittedSchema.safeParse(record).success;
    expect([fits(queued), fits({ ...queued, data: null })]).toEqual([true, true]);
    expect([fits({ ...queued, data: url }), fits({ ...queued, status: 'COMPLETED' })]).toEqual([
      false,
      false,
    ]);
    expect(fits({ ...queued, task_id: 't1' })).toBe(false);
  });
});

describe('the contract of data', () => {
  const asset = { url, file_name: 'a.mp4', content_type: 'video/mp4', file_size: 7, width: null, height: 9 };

  it('is a URI, an image, video or audio object, or an object of a kind that is not shown', () => {
    const outputs = [
      url,
      {
        type: 'video',
        n: 4,
        seed: -1,
        actual_prompt: 'x',
        videos: [{ ...asset, duration: 1.5 }],
        video: asset,
      },
      { videos: [{ url }] },
      { type: 'image', n: 5, actual_prompt: 'x', images: [asset, asset], image: asset },
      { type: 'audio', audios: [{ url, duration: null }] },
      { type: 'mesh', vertices: 3 },
      {},
    ];
    for (const data of outputs) expect([data, fits(completed(data))]).toEqual([data, true]);
    for (const data of ['not a URI', '', 7, true, [url]]) expect(fits(completed(data))).toBe(false);
  });

  it.each([
    ['no videos', { type: 'video' }],
    ['an empty list', { videos: [] }],
    ['an asset without its URL', { videos: [{ file_name: 'a.mp4' }] }],
    ['a URL that is none', { videos: [{ url: '/a.mp4' }] }],
    ['more than four results', { videos: [{ url }], n: 5 }],
    ['no result', { videos: [{ url }], n: 0 }],
    ['an image without images', { type: 'image', image: { url } }],
    ['audio without sounds', { type: 'audio', audios: [] }],
  ])('with a known kind is not taken for an unknown one: %s', (_what, data) => {
    expect(fits(completed(data))).toBe(false);
  });

  it.each([
    ['actual_prompt', 'a text', ['x'], [7, null, {}]],
    ['video', 'an asset', [{ url }, { url, duration: null }], [url, {}, { file_name: 'a.mp4' }, null]],
  ])('has in a video’s %s %s', (name, _what, right, wrong) => {
    const fitting = (value: unknown): boolean => fits(completed({ videos: [{ url }], [name]: value }));
    expect(right.map(fitting)).toEqual(right.map(() => true));
    expect(wrong.map(fitting)).toEqual(wrong.map(() => false));
  });

  it.each([
    ['url', [url], [undefined, null, 7, 'a.mp4']],
    ['file_name', ['a.mp4', undefined], [7, null]],
    ['content_type', ['video/mp4', undefined], [7, null]],
    ['duration', [1.5, 0, null, undefined], ['1.5', {}]],
  ])('has in a video asset’s %s what is shown', (name, right, wrong) => {
    const fitting = (value: unknown): boolean => fits(completed({ videos: [{ url, [name]: value }] }));
    expect(right.map(fitting)).toEqual(right.map(() => true));
    expect(wrong.map(fitting)).toEqual(wrong.map(() => false));
  });

  it('has in an image’s actual_prompt a text, and in its image an asset', () => {
    const fitting = (more: object): boolean => fits(completed({ type: 'image', images: [{ url }], ...more }));
    expect([{ actual_prompt: 'x' }, { image: { url, width: 5 } }].map(fitting)).toEqual([true, true]);
    expect([{ actual_prompt: 7 }, { image: url }, { image: {} }].map(fitting)).toEqual([false, false, false]);
  });

  it('has whole numbers from -9007199254740991 to 9007199254740991 for seed, sizes and pixels', () => {
    const numbers: [string, (value: number) => unknown][] = [
      ['seed', (seed) => ({ videos: [{ url }], seed })],
      ...['file_size', 'width', 'height'].map((name): [string, (value: number) => unknown] => [
        name,
        (value) => ({ videos: [{ url, [name]: value }] }),
      ]),
    ];
    for (const [name, make] of numbers) {
      const results = [Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER, 2 ** 53, -(2 ** 53), 1.5].map(
        (value) => fits(completed(make(value))),
      );
      expect([name, results]).toEqual([name, [true, true, false, false, false]]);
    }
  });

  const ASSET = {
    url,
    file_name: 'a.bin',
    content_type: 'x/y',
    file_size: 7,
    width: 8,
    height: 9,
    duration: 1.5,
  };
  const { file_size: _bytes, duration: _seconds, ...IMAGE } = ASSET;
  const { width: _width, height: _height, ...SOUND } = ASSET;
  const MADE = { n: 2, actual_prompt: 'a red fox' };

  it.each<[kind: string, data: Record<string, unknown>, primary: string, files: string]>([
    ['video', { ...MADE, type: 'video', seed: 3, videos: [ASSET], video: ASSET }, 'video', 'videos'],
    ['image', { ...MADE, type: 'image', images: [IMAGE], image: IMAGE }, 'image', 'images'],
    ['audio', { n: 2, type: 'audio', audios: [SOUND], audio: SOUND }, 'audio', 'audios'],
  ])(
    'of a %s has each of its fields with its type, in the list and in the primary asset',
    (_kind, data, primary, files) => {
      const wrong: Record<string, unknown[]> = {
        type: ['mesh', 7, null],
        n: ['2', 1.5, null],
        seed: ['3', 1.5, null],
        actual_prompt: [7, null, ['a red fox']],
        [files]: [[], {}, null, undefined],
        [primary]: [[], url, null],
        url: ['/a.bin', 7, null, undefined],
        file_name: [7, null],
        content_type: [7, null],
        file_size: ['7', 1.5],
        width: ['8', 1.5],
        height: ['9', 1.5],
        duration: ['1.5', {}],
      };
      expect(fits(completed(data))).toBe(true);
      for (const name of Object.keys(data)) {
        const isType = name === 'type';
        for (const other of wrong[name] ?? []) {
          // Of a kind that is not shown anything goes, unless it has videos.
          const expected = isType && primary !== 'video';
          expect([name, other, fits(completed({ ...data, [name]: other }))]).toEqual([name, other, expected]);
        }
        const mayBeMissing = name !== files;
        const { [name]: _left, ...rest } = data;
        expect([name, fits(completed(rest))]).toEqual([name, mayBeMissing]);
      }
      const asset = data[primary] as Record<string, unknown>; // one of the three above
      for (const name of Object.keys(asset)) {
        for (const other of wrong[name] ?? []) {
          const changed = { ...asset, [name]: other };
          for (const whole of [
            { ...data, [files]: [asset, changed] },
            { ...data, [primary]: changed },
          ]) {
            expect([name, other, fits(completed(whole))]).toEqual([name, other, false]);
          }
        }
        const { [name]: _left, ...rest } = asset;
        expect([name, fits(completed({ ...data, [primary]: rest }))]).toEqual([name, name !== 'url']);
        const mayBeNull = ['file_size', 'width', 'height', 'duration'].includes(name);
        expect([name, fits(completed({ ...data, [primary]: { ...asset, [name]: null } }))]).toEqual([
          name,
          mayBeNull,
        ]);
      }
    },
  );

  it('says what is wrong with a record, and where', () => {
    const told = (record: unknown) =>
      (generationSchema.safeParse(record).error?.issues ?? []).map(({ path, message }) => [
        path.join('.'),
        message,
      ]);
    expect(told({ ...queued, status: 'COMPLETED', data: null })).toEqual([
      ['data', 'is missing when the status is COMPLETED'],
    ]);
    expect(told({ ...queued, data: url })).toEqual([['data', 'must be null when the status is IN_QUEUE']]);
    expect(told({ ...queued, status: 'FAILED', data: null })).toEqual([
      ['code', 'is missing when the status is FAILED'],
      ['message', 'is missing when the status is FAILED'],
    ]);
    expect(fits({ ...failed, code: '' })).toBe(false);
    expect(fits({ ...failed, message: '' })).toBe(true);
  });

  it('keeps additional properties of outputs and assets', () => {
    const video = { videos: [{ url, fps: 24 }], watermark: { position: 'left' } };
    expect(videoOutputSchema.parse(video)).toEqual(video);
    const image = { type: 'image', images: [{ url, blurhash: 'L' }], safe: true };
    expect(imageOutputSchema.parse(image)).toEqual(image);
  });
});

it('states are terminal where the specification says so', () => {
  expect([...TERMINAL_STATES]).toEqual(['COMPLETED', 'FAILED', 'CANCELED']);
});

describe('the reader of records', () => {
  it('keeps data of any shape and unknown properties untouched', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (data, extra) => {
        const record = readGenerationSchema.parse({ ...completed(data), extra });
        expect(record.data).toBe(data);
        expect(record['extra']).toEqual(extra);
      }),
    );
  });

  it('only insists on id and status, and never throws', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const whole = readGenerationSchema.safeParse(value);
        const parts = {
          id: 't1',
          status: 'COMPLETED',
          input: value,
          usage: value,
          code: value,
          message: value,
        };
        const record = readGenerationSchema.parse(parts);
        expect(whole.success).toBe(false);
        expect(Number.isFinite(record.usage.total)).toBe(true);
        expect(acceptedSchema.parse({ id: 't1', status: value, usage: value }).id).toBe('t1');
      }),
    );
    for (const broken of [{ id: '' }, { id: 7 }, { status: 'PAUSED' }, { status: undefined }]) {
      expect(readGenerationSchema.safeParse({ ...failed, ...broken }).success).toBe(false);
    }
  });

  it('takes what a partly readable usage says', () => {
    const read = (value: unknown) => readGenerationSchema.parse({ ...queued, usage: value }).usage;
    expect(read({ total: 8 })).toEqual({ total: 8, subscription: 0, permanent: 0 });
    expect(read({ subscription: 5, permanent: 3 })).toEqual(usage);
    expect(read({ ...usage, total: '8' })).toEqual(usage);
    expect(read({ ...usage, currency: 'credits' })).toEqual({ ...usage, currency: 'credits' });
    expect(read(null)).toEqual({ total: 0, subscription: 0, permanent: 0 });
  });

  it('takes any answer with an id for an accepted submit, without data and whatever else it lacks', () => {
    expect(acceptedSchema.parse({ id: 't1' })).toEqual({
      id: 't1',
      status: 'IN_QUEUE',
      usage: { total: 0, subscription: 0, permanent: 0 },
    });
    expect(acceptedSchema.safeParse({ status: 'IN_QUEUE' }).success).toBe(false);
    expect(acceptedSchema.parse({ ...queued, status: 'IN_PROGRESS' })).toEqual({
      ...queued,
      status: 'IN_PROGRESS',
    });
    expect(acceptedSchema.parse({ id: 't1', input: 7 }).input).toBeUndefined();
    for (const [length, isId] of [
      [0, false],
      [1, true],
      [200, true],
      [201, false],
    ] as const) {
      expect(acceptedSchema.safeParse({ id: 'x'.repeat(length) }).success).toBe(isId);
    }
  });

  it('takes what is readable of a record, and an empty input for one that is not', () => {
    const read = (more: object) => readGenerationSchema.parse({ ...failed, ...more });
    expect(read({})).toMatchObject({
      input: queued.input,
      code: 'IMAGE_GENERATION_TIMEOUT',
      message: 'Late.',
      usage,
    });
    expect(read({ input: 'text' }).input).toEqual({});
    expect(read({ code: null, message: null })).toMatchObject({ code: null, message: null });
    expect(read({ code: {}, message: {} })).toMatchObject({ code: undefined, message: undefined });
    expect(read({ usage: { total: 8, subscription: 'x', permanent: 'y' } }).usage).toEqual({
      total: 8,
      subscription: 0,
      permanent: 0,
    });
    expect(read({ usage: undefined }).usage).toEqual({ total: 0, subscription: 0, permanent: 0 });
  });

  it('is not fooled by names that objects have from the start', () => {
    const text =
      '{"id":"t1","status":"COMPLETED","__proto__":{"id":"t2"},"constructor":1,"data":{"__proto__":{"url":"x"}}}';
    const record = readGenerationSchema.parse(JSON.parse(text));
    expect(record.id).toBe('t1');
    expect(Object.getPrototypeOf(record)).toBe(Object.prototype);
    expect(JSON.stringify(record.data)).toBe('{"__proto__":{"url":"x"}}');
  });
});
