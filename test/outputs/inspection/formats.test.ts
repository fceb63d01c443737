import { describe, expect, it } from 'vitest';
import { inspectMedia } from '../../../src/outputs/inspection/inspector.ts';
import { isCalled, isMedia } from '../../../src/outputs/inspection/media-format.ts';
import { textKind } from '../../../src/outputs/inspection/text-kind.ts';

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

describe('a format is called by its own name and by others', () => {
  it.each([
    ['jpg', 'image/jpeg', 'image/jpg image/pjpeg'],
    ['apng', 'image/apng', 'image/png'],
    ['mp4', 'video/mp4', 'audio/mp4 video/x-m4v video/3gpp'],
    ['m4a', 'audio/mp4', 'audio/m4a audio/aac video/mp4'],
    ['mov', 'video/quicktime', 'video/mov'],
    ['webm', 'video/webm', 'audio/webm'],
    ['mkv', 'video/x-matroska', 'video/matroska audio/x-matroska'],
    ['wav', 'audio/wav', 'audio/vnd.wave'],
    ['ogg', 'audio/ogg', 'audio/opus video/ogg application/ogg'],
    ['opus', 'audio/ogg', 'audio/opus'],
    ['aac', 'audio/aac', 'audio/aacp audio/x-aac'],
    ['mp3', 'audio/mpeg', 'audio/x-mp3'],
  ])('%s', (extension, type, others) => {
    const names = [type, ...others.split(' ')];
    expect(names.filter((name) => !isCalled({ type, extension }, name))).toEqual([]);
    expect(isCalled({ type, extension }, 'text/html')).toBe(false);
  });
});

it.each([
  ['image/png', true],
  ['audio/mpeg', true],
  ['video/mp4', true],
  ['model/gltf-binary', true],
  ['font/woff2', true],
  ['application/zip', false],
  ['text/x-image/png', false],
])('%s is media: %s', (type, is) => {
  expect(isMedia({ type, extension: 'x' })).toBe(is);
});

describe('what kind of text a file begins as', () => {
  it.each([
    ['{ "a": 1 }', 'json'],
    ['{}', 'json'],
    ['[ -1 ]', 'json'],
    ['[true]', 'json'],
    ['[null', 'json'],
    ['see {"a": 1}', 'text'],
    ['[a link]', 'text'],
    ['{a}', 'text'],
    [' <!-- x --> <!DOCTYPE html>', 'html'],
    ['<?xml version="1.0"?><html>', 'html'],
    ['<svg>', 'svg'],
    ['<?xml version="1.0"?>\n<svg/>', 'svg'],
    ['<!doctype svg><svg>', 'svg'],
    ['<?xml version="1.0"?><feed>', 'xml'],
    ['<rss>', 'xml'],
    ['a < b', 'text'],
    ['no <svg> here', 'text'],
    ['no <html> here', 'text'],
    ['no <?xml version="1.0"?><html> here', 'text'],
    ['no <!doctype svg><svg> here', 'text'],
    ['a\0b', undefined],
  ])('%j', (text, kind) => {
    expect(textKind(bytes(text))).toBe(kind);
  });

  it('is none of bytes that are no UTF-8, and that of a text that is cut within a character', () => {
    expect(textKind(new Uint8Array([0xff, 0xfe, 0x41]))).toBeUndefined();
    expect(textKind(bytes('é').subarray(0, 1))).toBe('text');
  });
});

it.each([
  [0, 5],
  [5, 0],
])('a picture of %i by %i pixels has no size', async (width, height) => {
  const gif = new Uint8Array([...bytes('GIF89a'), width, 0, height, 0, 0, 0, 0, 0x3b]);
  const found = await inspectMedia({
    size: gif.length,
    read: async (start, end) => gif.subarray(start, end),
  });
  expect(found).toMatchObject({ contentType: 'image/gif', width: null, height: null });
});
