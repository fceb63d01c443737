import { describe, expect, it } from 'vitest';
import { type SeenOfFile, typeOfFile } from '../../src/outputs/file-type.ts';
import { expectMedia } from '../../src/outputs/inspection/expect-media.ts';

const NEUTRAL = { contentType: 'application/octet-stream', extension: 'bin' };
const said = (declared: string | null, path = '', served: string | null = null) => ({
  declared,
  path,
  served,
});
const UNKNOWN: SeenOfFile = { format: null };
const of = (type: string, extension: string): SeenOfFile => ({ format: { type, extension } });

describe('a file is called', () => {
  it('by its bytes, whoever says otherwise', () => {
    expect(typeOfFile(of('image/png', 'png'), said('video/mp4', '/a.jpg', 'text/html'))).toEqual({
      contentType: 'image/png',
      extension: 'png',
    });
  });

  it('by another name of its format where the record has that', () => {
    expect(typeOfFile(of('audio/wav', 'wav'), said(' Audio/VND.wave; rate=8 '))).toEqual({
      contentType: 'audio/vnd.wave',
      extension: 'wav',
    });
  });

  it.each([
    ['application/zip', 'zip'],
    ['image/svg+xml', 'svg'],
    ['application/xml', 'xml'],
    ['model/x3d+xml', 'x3d'],
    ['application/x-msdownload', 'exe'],
    ['text/html', 'html'],
    ['x-image/png', 'png'],
  ])('neutrally, where it is %s', (type, extension) => {
    expect(typeOfFile(of(type, extension), said(type, `/a.${extension}`, type))).toEqual(NEUTRAL);
    expect(typeOfFile(UNKNOWN, said(type, '', type))).toEqual(NEUTRAL);
  });

  it.each(['html', 'svg', 'xml'] as const)('neutrally, where it begins as %s', (text) => {
    expect(typeOfFile({ format: null, text }, said('image/png', '/a.png', 'image/png'))).toEqual(NEUTRAL);
    expect(typeOfFile({ format: null, text }, said(null, '/a.safetensors'))).toEqual(NEUTRAL);
  });

  it.each([
    [said('audio/wav', '/a.png', 'video/mp4'), 'audio/wav', 'wav'],
    [said(null, '/a.PNG', 'video/mp4'), 'image/png', 'png'],
    [said('application/octet-stream', '/a', 'video/mp4; x=1'), 'video/mp4', 'mp4'],
    [said('text/html', '/a.html', 'text/csv'), 'text/csv', 'csv'],
    [said('text/plain'), 'text/plain', 'txt'],
    [said('application/json; charset=utf-8'), 'application/json', 'json'],
    [said('application/x-subrip'), 'application/x-subrip', 'srt'],
    [said('text/markdown'), 'text/markdown', 'md'],
    [said('text/vtt'), 'text/vtt', 'vtt'],
    [said('text/yaml'), 'text/yaml', 'yaml'],
    [said('', '/voice.safetensors', 'text/plain'), 'application/octet-stream', 'safetensors'],
    [said('image/no-such-thing', '/a.gif'), 'image/gif', 'gif'],
  ])('of an unknown format, by what is said of it: %j', (told, contentType, extension) => {
    expect(typeOfFile(UNKNOWN, told)).toEqual({ contentType, extension });
  });

  it.each([
    said(null),
    said('  ', '/a', ''),
    said(null, '/a.safetensors.x'),
    said(null, '/a.pngg-is-a-longer-one'),
    said('text/plain-and-more'),
    said('application/jsonp'),
    said('text/plain-x', '/a.xml', 'text/yamlx'),
    said('my-text/plain'),
  ])('neutrally, where nothing that is said of it is known: %j', (told) => {
    expect(typeOfFile(UNKNOWN, told)).toEqual(NEUTRAL);
  });
});

describe('a text in the place of a result', () => {
  const told = (
    text: string,
    contentType: string | null,
    path = '/a',
    served: string | null = null,
  ): unknown => expectMedia(new TextEncoder().encode(text), { contentType, path, served });

  it.each([
    ['<html>', 'text/html', 'html'],
    ['<html>', 'application/xhtml+xml; q=1', 'html'],
    ['<svg>', ' image/SVG+xml', 'svg'],
    ['<rss>', 'application/xml', 'xml'],
    ['<rss>', 'text/xml', 'xml'],
    ['<rss>', 'application/rss+xml', 'xml'],
    ['{}', 'application/ld+json', 'json'],
    ['{}', 'text/plain', 'json'],
    ['hello', 'text/csv', 'text'],
    ['hello', 'application/yaml', 'text'],
    ['hello', 'application/x-subrip', 'text'],
    ['hello', 'application/ttml+xml', 'text'],
  ])('is taken where it was announced: %s as %s', (text, contentType, kind) => {
    expect(told(text, contentType)).toBe(kind);
  });

  it.each([
    ['<html>', 'image/svg+xml'],
    ['<html>', 'text/plain'],
    ['<html>', 'my-text/html'],
    ['<html>', 'text/html-x'],
    ['<svg>', 'my-image/svg+xml'],
    ['<svg>', 'image/svg+xml-x'],
    ['<rss>', 'application/rss+xml-x'],
    ['{}', 'my-text/plain'],
    ['hello', 'my-text/plain'],
    ['<svg>', 'image/png'],
    ['<rss>', 'image/png'],
    ['<rss>', 'my-text/xml'],
    ['<rss>', 'text/xml-x'],
    ['{}', 'text/html'],
    ['{}', 'application/json-x'],
    ['hello', 'text/html'],
    ['hello', 'my-application/x-subrip'],
    ['hello', 'application/x-subrip-x'],
    ['hello', 'application/yaml-x'],
  ])('is refused where something else was announced: %s as %s', (text, contentType) => {
    expect(() => told(text, contentType)).toThrow(`instead of ${contentType}: "${text}"`);
  });

  it('is taken where it is plain, and is served as media: an error page says what it is', () => {
    expect(told('no known format', 'image/png', '/a', 'image/png')).toBeUndefined();
    expect(told('no known format', null, '/a', 'Video/mp4; codecs=x')).toBeUndefined();
    for (const page of ['<html>', '{}', '<rss>'])
      expect(() => told(page, 'image/png', '/a', 'image/png')).toThrow('instead of image/png');
    expect(() => told('no known format', 'image/png', '/a', 'text/plain')).toThrow('instead of image/png');
  });

  it('is announced by the extension of its URL where the record says nothing, but no page is', () => {
    expect(told('hello', null, '/a.txt')).toBe('text');
    expect(told('hello', '', '/a.txt')).toBe('text');
    expect(told('hello', 'application/octet-stream', '/a.txt')).toBe('text');
    expect(() => told('<html>', null, '/a.html')).toThrow("the output's URL gives HTML instead of media");
    expect(() => told('hello', null, '/a')).toThrow("the output's URL gives plain text instead of media");
  });

  it('is told by its beginning on one line', () => {
    expect(() => told(`  <html>\n\n<p>Bad   gateway${'!'.repeat(300)}`, null)).toThrow(
      `instead of media: "<html> <p>Bad gateway${'!'.repeat(80 - 21)}"`,
    );
    expect(() => told('<html>', null)).toThrow(expect.objectContaining({ kind: 'delayed' }));
  });

  it('is none where its bytes are no text: the result is paid for', () => {
    expect(told('a\0b', 'image/png')).toBeUndefined();
  });
});
