import { buffer } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { isDataUri, openDataUri, shownDataUri } from '../../../src/outputs/download/data-uri.ts';
import { shownUrl } from '../../../src/outputs/download/download-target.ts';

describe('a file that is written out in its URL', () => {
  it('is decoded, with its type', async () => {
    const told: number[] = [];
    const uri = 'DATA:Image/PNG;x=1;base64,aGVsbG8=';
    const opened = await openDataUri(uri, { onBytes: (bytes) => void told.push(bytes) });
    expect(opened).toMatchObject({ contentType: 'image/png', contentLength: 5, endMarked: true });
    expect((await buffer(opened.body)).toString()).toBe('hello');
    expect([await opened.close(), told, isDataUri(uri), isDataUri('metadata:,x')]).toEqual([
      undefined,
      [5],
      true,
      false,
    ]);
  });

  it('is refused where it is too large or malformed', async () => {
    const open = async (uri: string, maxBytes: number) => await openDataUri(uri, { maxBytes });
    expect((await open('data:,hello', 5)).contentLength).toBe(5);
    await expect(open('data:,hello', 4)).rejects.toThrow('larger than the limit of 4 bytes');
    await expect(open('data:hello', 9)).rejects.toMatchObject({
      message: 'the output is a data: URI that cannot be read',
      cause: expect.any(Error),
    });
    await expect(open(`data:,${'x'.repeat(16 * 1024 ** 2)}`, 9)).rejects.toThrow(
      'a data: URI that is too long',
    );
  });

  it('is shown without its data', () => {
    expect(shownDataUri('data:image/png;base64,aGVsbG8=')).toBe('data:image/png;base64');
    expect(shownDataUri(`data:${'x'.repeat(90)}`)).toBe(`data:${'x'.repeat(55)}`);
    expect(shownUrl('data:image/png,hello')).toBe('data:image/png');
  });
});
