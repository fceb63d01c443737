import { posix, win32 } from 'node:path';
import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  outputFolder,
  outputKeyBase,
  safeKey,
  stemOfSamePath,
  taskIdIn,
} from '../../src/outputs/output-key.ts';
import { beginsWith, belongsTo } from '../../src/outputs/stores/output-store.ts';

/** Any text, and much of what makes trouble in paths. */
const part = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({
    unit: fc.constantFrom('a', 'A', 'b', '.', '/', '\\', '+', '~', '-', '_', ' ', ':', 'é', '\ud800'),
  }),
  fc.constantFrom(
    '',
    '.',
    '..',
    '../..',
    '/etc/passwd',
    'C:\\x',
    'con',
    'NUL',
    'com1.txt',
    'lpt1',
    'aux/x',
    '~',
    'x'.repeat(300),
  ),
);

it('turns any text into segments that are safe on every file system', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 4 }), (parts) => {
      const key = safeKey(parts);
      const segments = key.split('/');
      expect(segments).toHaveLength(parts.length);
      for (const segment of segments) {
        expect(segment).toMatch(/^[A-Za-z0-9_~][A-Za-z0-9_+.~-]{0,71}$/);
        expect(segment).not.toMatch(/\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i);
      }
      expect(posix.resolve('/root', key)).toBe(`/root/${key}`);
      expect(win32.resolve('C:\\root', key)).toBe(`C:\\root\\${segments.join('\\')}`);
    }),
    { numRuns: 500 },
  );
});

it('gives different texts different keys, also where case is ignored', () => {
  fc.assert(
    fc.property(part, part, (one, other) => {
      fc.pre(one !== other);
      expect(safeKey([one]).toLowerCase()).not.toBe(safeKey([other]).toLowerCase());
    }),
    { numRuns: 1_000 },
  );
  const alike = [
    'a/b',
    'a+b',
    'a~b',
    'A/b',
    'aBa/c',
    'aba/c',
    'a//b',
    '/a/b',
    'a/b/',
    '\ud800',
    '\ud801',
    'é',
    'e\u0301',
  ];
  expect(new Set(alike.map((text) => safeKey([text]).toLowerCase())).size).toBe(alike.length);
});

it('keeps ordinary ids readable', () => {
  expect(
    outputKeyBase({
      workspace: 'default',
      workflowId: 'pipeline/demo/still/0',
      taskId: 'b7e1-42',
      file: 'data',
    }),
  ).toBe('default/pipeline+demo+still+0/b7e1-42-data');
  expect(safeKey(['icon', 'console', 'com'])).toBe('icon/console/com');
});

it('knows a file again by its URL, however that is signed, and by nothing less', () => {
  const keys = [
    'https://files.example/a.png',
    'https://files.example/a.png?X-Amz-Date=1&X-Amz-Signature=2#top',
    'https://files.example/a.png?Expires=1&Signature=2&Key-Pair-Id=3',
    'https://files.example/a.png?sv=1&se=2&sp=r&sig=3',
    'https://files.example/a.png?version=1',
    'https://files.example/a.png?version=2&X-Amz-Signature=3',
    'https://files.example/a.png?sv=1',
    'https://files.example/b.png',
    'data:,a',
    'data:,b',
    'http://[oops/',
  ].map((url) => outputKeyBase({ workspace: 'w', workflowId: 'x', taskId: 't', file: { url } }));
  expect(keys.slice(0, 4)).toEqual(Array(4).fill(keys[0]));
  expect(new Set(keys).size).toBe(8);
  expect(keys[0]).toMatch(/^w\/x\/t-[0-9a-f]{16}$/);
});

it('writes keys alike in every version, so that stored files are found again', () => {
  const url = 'https://files.example/a.png?version=1&X-Amz-Signature=3';
  expect(outputKeyBase({ workspace: 'w', workflowId: 'Order 5', taskId: 't', file: { url } })).toBe(
    'w/Order-5~ecc115c096b8c0d89a8e8fee9/t-7bd3352475678512',
  );
  expect(safeKey(['..a b', 'a -  b', 'con', 'x'.repeat(72), 'x'.repeat(73)]).split('/')).toEqual([
    'a-b~ddc4b6c982fa326a84bd2b2e5',
    'a---b~df96f6aaa7b246d3ad6faef62',
    'con~dad45e82eb69ae12b189b7e78',
    'x'.repeat(72),
    `${'x'.repeat(40)}~010969af07006495c0864e835`,
  ]);
});

it('knows which keys may be of the same file by another URL', () => {
  const base = 'w/x/t-0123456789abcdef';
  expect(stemOfSamePath(base, 'https://files.example/a.png?version=1')).toBe('w/x/t-01234567');
  expect(stemOfSamePath(base, 'https://files.example/a.png?sig=1')).toBeUndefined();
  expect(stemOfSamePath(base, 'no URL')).toBeUndefined();
  expect(stemOfSamePath('w/x/t-data', 'https://files.example/a.png?version=1')).toBeUndefined();
});

it('tells the files of one output from those of another', () => {
  expect(belongsTo('w/t-1', 'w/t-1.png')).toBe(true);
  expect(belongsTo('w/t-1', 'w/t-1.x-0.png')).toBe(false);
  expect(belongsTo('w/t-1', 'w/t-10.png')).toBe(false);
  expect(belongsTo('w/t-1', 'w/t-2.png')).toBe(false);
  expect(belongsTo('w/t-1', 'w/.t-1.png.part')).toBe(false);
});

it('tells which files may be the same as that of a URL of the same path', () => {
  const isOne = (key: string): boolean => beginsWith('w/t-01234567', key);
  expect(isOne('w/t-0123456789abcdef.png')).toBe(true);
  expect(isOne('w/t-0123456.png')).toBe(false);
  expect(isOne('w/t-01234567.png')).toBe(false);
  expect(isOne('w/t-76543210ab.png')).toBe(false);
  expect(isOne('w/t-01234567ab.x-0.png')).toBe(false);
  expect(isOne('w/t-01234567.ab.png')).toBe(false);
  expect(isOne('w/t-01234567ab.longer-than-an-ending')).toBe(false);
});

it('tells of a file whose task it is, and where the files of a workflow lie', () => {
  const where = { workspace: 'default', workflowId: 'generation/Order 5' };
  const keyOf = (taskId: string, file: Parameters<typeof outputKeyBase>[0]['file']): string =>
    `${outputKeyBase({ ...where, taskId, file })}.png`;
  const file = { url: 'https://example.com/a.png' };
  const taskIds = [
    '904db174-19b3-4f3a-9c34-3b2d0f6a8f11',
    't-0123456789abcdef',
    'a/b',
    'data',
    '01JD8ZQ4-Task',
  ];
  expect(taskIds.map((taskId) => taskIdIn(keyOf(taskId, file)))).toEqual(taskIds);
  expect(taskIdIn(keyOf('t-1', 'data'))).toBe('t-1');
  expect(taskIdIn(keyOf('Task:1', file))).toBeUndefined();
  expect(taskIdIn('default/generation+x/readme.txt')).toBeUndefined();
  expect(taskIdIn('default/generation+x/t-1-data.json.part')).toBeUndefined();
  expect(keyOf('t-1', file).startsWith(`${outputFolder(where)}/t-1-`)).toBe(true);
});
