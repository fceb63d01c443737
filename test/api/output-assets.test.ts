import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { outputAssets } from '../../src/api/records/output-assets.ts';

const url = 'https://cdn.example.com/a';
const other = 'https://cdn.example.com/b';
const bare = (one: string) => ({ url: one, contentType: null, width: null, height: null, duration: null });

describe('the files of data', () => {
  it.each<[string, unknown, string[]]>([
    ['a bare URI', url, [url]],
    ['an image object', { type: 'image', images: [{ url }, { url: other }], image: { url } }, [url, other]],
    ['a video object', { videos: [{ url }], video: { url } }, [url]],
    ['an audio object', { type: 'audio', audios: [{ url }] }, [url]],
    ['a primary asset alone', { type: 'video', video: { url } }, [url]],
    ['a list that names nothing, beside a primary asset', { images: [null, {}], image: { url } }, [url]],
    ['URIs in a list', { images: [url, { url: other }] }, [url, other]],
    ['a list at the top', [url, { url: other }], [url, other]],
    ['an unknown object with a URL', { type: 'mesh', url, vertices: 3 }, [url]],
    ['a video with preview pictures', { videos: [{ url }], images: [{ url: other }] }, [url]],
    [
      'an image with a making-of video',
      { type: 'image', images: [{ url }], videos: [{ url: other }] },
      [url],
    ],
    ['an unknown object', { type: 'mesh', vertices: 3 }, []],
    ['nothing', null, []],
    ['a data: URI', 'data:image/png;base64,iVBORw0KGgo=', ['data:image/png;base64,iVBORw0KGgo=']],
    [
      'a URI that nobody will fetch',
      { images: [{ url: 'ftp://files.example/a' }] },
      ['ftp://files.example/a'],
    ],
    ['a string that is no URI', 'a lighthouse at dawn', []],
    ['a number', 7, []],
    ['a URL of another type', { images: [{ url: 7 }] }, []],
  ])('are found in %s', (_shape, data, urls) => {
    expect(outputAssets(data).map((asset) => asset.url)).toEqual(urls);
  });

  it('have what is known of them, and null for what is missing or malformed', () => {
    const asset = { url, content_type: 'video/mp4', width: 1280, height: null, duration: 2.5, file_size: 7 };
    expect(outputAssets({ videos: [asset, { url: other, width: '1280', content_type: 3 }] })).toEqual([
      { url, contentType: 'video/mp4', width: 1280, height: null, duration: 2.5 },
      bare(other),
    ]);
  });

  it('have numbers that are such, and addresses that begin with a scheme', () => {
    const odd = { url, width: '1', height: 9, duration: [1] };
    expect(outputAssets(odd)).toEqual([{ ...bare(url), height: 9 }]);
    const asset = { url, width: Infinity, height: Number.NaN, duration: 0 };
    expect(outputAssets(asset)).toEqual([{ ...bare(url), duration: 0 }]);
    for (const text of ['a b:c', ':x', '1a:x', ' https://x', 'https: //x', 'https:']) {
      expect([text, outputAssets(text)]).toEqual([text, []]);
    }
    for (const text of ['a:b', 'A+b.c-1:x', 'urn:uuid:1'])
      expect([text, outputAssets(text)]).toEqual([text, [bare(text)]]);
  });

  it('are those of the kind that data says it is, whatever else is beside them', () => {
    const all = { images: [{ url: 'i:1' }], videos: [{ url: 'v:1' }], audios: [{ url: 'a:1' }] };
    const urls = (data: unknown) => outputAssets(data).map((one) => one.url);
    expect(urls(all)).toEqual(['v:1']);
    expect(urls({ ...all, videos: [] })).toEqual(['i:1']);
    for (const [type, first] of [
      ['image', 'i:1'],
      ['audio', 'a:1'],
      ['video', 'v:1'],
      ['mesh', 'v:1'],
    ]) {
      expect(urls({ ...all, type })).toEqual([first]);
    }
  });

  it('are looked for in anything without a crash, and without changing it', () => {
    const key = fc.constantFrom('images', 'image', 'videos', 'video', 'audios', 'audio', 'url', 'type', 'x');
    const shapes = fc.letrec((tie) => ({
      value: fc.oneof(
        fc.constantFrom(url, null, 7),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    })).value;
    fc.assert(
      fc.property(fc.oneof(shapes, fc.anything()), (data) => {
        const before = fc.stringify(data);
        for (const asset of outputAssets(data)) expect(asset.url).toMatch(/^[a-z][^:]*:/i);
        expect(fc.stringify(data)).toBe(before);
      }),
    );
  });
});
