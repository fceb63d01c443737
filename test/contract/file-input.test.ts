import { describe, expect, it } from 'vitest';
import { isFileInput, isUpload, LocalFile, storedFile } from '../../src/contract/file-input.ts';

const STORED = { uri: 'file:///srv/1.png', sha256: 'ab', bytes: 12 };

describe('what a client takes for a file', () => {
  it.each<[what: string, value: object]>([
    ['a file of this machine', new LocalFile('photo.png')],
    ['bytes', new Uint8Array(2)],
    ['a blob', new Blob(['x'])],
    [
      'a stream',
      (async function* stream() {
        yield new Uint8Array(1);
      })(),
    ],
  ])('%s is uploaded', (_, value) => {
    expect([isUpload(value), isFileInput(value), storedFile(value)]).toEqual([true, true, undefined]);
  });

  it.each<[what: string, value: object]>([
    ['a stored file', STORED],
    ['an output', { url: 'https://a.example/1.png', stored: STORED }],
  ])('%s is in the store', (_, value) => {
    expect([isUpload(value), isFileInput(value), storedFile(value)]).toEqual([false, true, STORED]);
  });

  it.each([
    'https://a.example/1.png',
    7,
    null,
    undefined,
    {},
    [],
    { ...STORED, uri: 7 },
    { ...STORED, sha256: null },
    { ...STORED, bytes: '12' },
    { stored: 'yes' },
    { stored: { ...STORED, bytes: undefined } },
    Object.assign([], STORED),
  ])('%j is none', (value) => {
    expect([isUpload(value), isFileInput(value), storedFile(value)]).toEqual([false, false, undefined]);
  });
});

it('a file of this machine is never sent as it is: another machine could not read it', () => {
  const file = new LocalFile('/home/me/photo.png', 'image/png');
  expect([file.path, file.contentType]).toEqual(['/home/me/photo.png', 'image/png']);
  expect(() => JSON.stringify({ image_url: file })).toThrow(
    new TypeError(
      '/home/me/photo.png is a file of this machine, which DarkroomClient uploads: start what it is for with it',
    ),
  );
});
