import { describe, expect, it } from 'vitest';
import { isDataUri, openDataUri, shownDataUri } from '../../../src/outputs/download/data-uri.ts';
import { checkTarget, shownUrl } from '../../../src/outputs/download/download-target.ts';
import { endsWhole } from '../../../src/outputs/download/ends-whole.ts';
import { peek } from '../../../src/outputs/download/peek.ts';

/** What is passed on of a file that comes in pieces of so many bytes. */
async function passed(file: Uint8Array, extension: string, type = 'x/x', size = 5): Promise<number> {
  const chunks = (async function* () {
    for (let at = 0; at < file.length; at += size) yield file.subarray(at, at + size);
  })();
  let bytes = 0;
  for await (const chunk of endsWhole(chunks, { type, extension })) bytes += chunk.byteLength;
  return bytes;
}

const box = (size: number, length = size, type = 'ftyp', long?: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.writeUInt32BE(size, 0);
  bytes.write(type, 4, 'latin1');
  if (long !== undefined) bytes.writeBigUInt64BE(BigInt(long), 8);
  return bytes;
};
const riff = (size: number, length: number): Buffer => {
  const bytes = Buffer.alloc(length);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(size, 4);
  return bytes;
};

describe('a file whose end is not marked is whole', () => {
  it.each<[what: string, file: Uint8Array, extension: string]>([
    ['with all of its boxes', Buffer.concat([box(24), box(40, 40, 'mdat'), box(16)]), 'mp4'],
    ['with a last box that reaches to its end', Buffer.concat([box(24), box(0, 90, 'mdat')]), 'mov'],
    ['with a box of more than 4 GB in name', Buffer.concat([box(1, 32, 'mdat', 32), box(24)]), 'm4a'],
    ['with as many bytes as it says', riff(92, 100), 'wav'],
    ['with more bytes than it says', riff(80, 100), 'webp'],
    ['where its writer left the size empty', riff(0, 100), 'avi'],
    ['where its writer left the size full', riff(0xffff_ffff, 100), 'wav'],
    ['of another format, however it begins', box(4_000, 40), 'webm'],
    ['of few bytes', Buffer.from('RIFF'), 'wav'],
  ])('%s', async (_, file, extension) => {
    for (const size of [1, 5, 16, 1_000])
      expect(await passed(file, extension, 'x/x', size)).toBe(file.length);
  });

  it.each<[what: string, file: Uint8Array, extension: string]>([
    ['within its last box', Buffer.concat([box(24), box(40, 39, 'mdat')]), 'mp4'],
    ['within a long box', Buffer.concat([box(24), box(1, 40, 'mdat', 41)]), 'heic'],
    ['before the size that it says', riff(93, 100), 'wav'],
    ['before the size that it says', riff(0x7fff_feff, 100), 'avi'],
  ])('and is not where it is cut off %s', async (_, file, extension) => {
    for (const size of [1, 5, 16, 1_000])
      await expect(passed(file, extension, 'video/x', size)).rejects.toMatchObject({
        kind: 'delayed',
        message: `the output is cut off after ${file.length} bytes: it is no whole video/x`,
      });
  });

  it.each([
    ['image/png', 'IEND\xaeB\x60\x82'],
    ['image/jpeg', '\xff\xd9'],
    ['image/gif', ';'],
  ])('by its last bytes: %s', async (type, ending) => {
    const body = Buffer.concat([Buffer.alloc(50, 'x'), Buffer.from(ending, 'latin1')]);
    expect(await passed(body, 'x', type)).toBe(body.length);
    // Some writers put a few bytes behind.
    expect(await passed(Buffer.concat([body, Buffer.alloc(8)]), 'x', type)).toBe(body.length + 8);
    for (const torn of [body.subarray(0, -1), Buffer.concat([body, Buffer.alloc(32)])])
      await expect(passed(torn, 'x', type)).rejects.toThrow(`it is no whole ${type}`);
  });
});

it.each([
  [0, 'ab'],
  [1, 'ab'],
  [3, 'abcd'],
  [9, 'abcde'],
])('%i first bytes are looked at, and none is lost', async (count, seen) => {
  let isClosed = false;
  const source = (async function* () {
    try {
      for (const text of ['ab', 'cd', 'e']) yield Buffer.from(text);
    } finally {
      isClosed = true;
    }
  })();
  const { head, whole } = await peek(source, count);
  expect(Buffer.from(head).toString()).toBe(count === 0 ? '' : seen);
  let text = '';
  for await (const chunk of whole) text += Buffer.from(chunk).toString();
  expect([text, isClosed]).toEqual(['abcde', true]);
});

describe('a file that is written out in its URL', () => {
  it('is decoded, with its type', async () => {
    const told: number[] = [];
    const uri = 'DATA:Image/PNG;x=1;base64,aGVsbG8=';
    const opened = await openDataUri(uri, { onBytes: (bytes) => void told.push(bytes) });
    expect(opened).toMatchObject({ contentType: 'image/png', contentLength: 5, endMarked: true });
    for await (const chunk of opened.body) expect(Buffer.from(chunk).toString()).toBe('hello');
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
    await expect(open('data:hello', 9)).rejects.toThrow('a data: URI that cannot be read');
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

describe('what a file is fetched from', () => {
  const anywhere = () => true;

  it('is shown without what is secret in it, and not at any length', () => {
    expect(shownUrl('https://me:pw@files.example:444/a.png?sig=1#top')).toBe(
      'https://files.example:444/a.png',
    );
    expect(shownUrl(new URL('https://files.example/?x'))).toBe('https://files.example/');
    expect(shownUrl(`https://files.example/${'x'.repeat(400)}`)).toHaveLength(300);
    expect(shownUrl('no URL')).toBe('');
  });

  it('may be named from where it was redirected, in 8,192 characters', () => {
    const base = new URL('https://files.example/a/b');
    expect(checkTarget('c?x=1', base, anywhere).href).toBe('https://files.example/a/c?x=1');
    const longest = `http://files.example/${'x'.repeat(8_192 - 21)}`;
    expect(checkTarget(longest, undefined, anywhere).href).toBe(longest);
    expect(() => checkTarget(`${longest}x`, undefined, anywhere)).toThrow(
      'has a URL of over 8192 characters',
    );
  });

  it.each([
    ['/c', 'the output has an unreadable URL'],
    ['ftp://files.example/', "the output's URL is ftp: and not http or https"],
    ['https://me@files.example:444/', "the output's URL at files.example:444 holds a user name or password"],
    ['https://:pw@files.example/', "the output's URL at files.example holds a user name or password"],
    [
      'http://[::1]/',
      "the output's host ::1 is not a public address; DARKROOM_PRIVATE_OUTPUTS=allow permits it",
    ],
  ])('is refused with the reason: %s', (text, message) => {
    expect(() => checkTarget(text, undefined, () => false)).toThrow(message);
  });

  it('is judged by its address alone where it has one', () => {
    const asked: string[] = [];
    const judge = (address: string) => asked.push(address) > 0;
    for (const host of ['files.example', '[::1]', '0x7f.1']) checkTarget(`http://${host}/`, undefined, judge);
    expect(asked).toEqual(['::1', '127.0.0.1']);
  });
});
