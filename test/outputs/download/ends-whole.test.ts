import { describe, expect, it } from 'vitest';
import { endsWhole } from '../../../src/outputs/download/ends-whole.ts';

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
  const bytes = Buffer.alloc(length, 0x40);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(size, 4);
  return bytes;
};

/** A piece of fifty bytes begins and ends among them. */
const SMALL = [box(16), box(16), box(16)];

describe('a file whose end is not marked is whole', () => {
  it.each<[what: string, file: Uint8Array, extension: string]>([
    ['with many small boxes', Buffer.concat([box(24), ...SMALL, box(40, 40, 'mdat')]), 'mp4'],
    ['with all of its boxes', Buffer.concat([box(24), box(40, 40, 'mdat'), box(16)]), 'mp4'],
    ['with a last box that reaches to its end', Buffer.concat([box(24), box(0, 90, 'mdat')]), 'mov'],
    ['with a box of more than 4 GB in name', Buffer.concat([box(1, 32, 'mdat', 32), box(24)]), 'm4a'],
    ['with as many bytes as it says', riff(92, 100), 'wav'],
    ['with more bytes than it says', riff(60, 100), 'webp'],
    ['where its writer left the size empty', riff(0, 100), 'avi'],
    ['where its writer left the size full', riff(0xffff_ffff, 100), 'wav'],
    ['of another format, however it begins', box(4_000, 40), 'webm'],
    ['of few bytes', Buffer.from('RIFF'), 'wav'],
  ])('%s', async (_, file, extension) => {
    for (const size of [1, 5, 16, 50, 1_000])
      expect(await passed(file, extension, 'x/x', size)).toBe(file.length);
  });

  it.each<[what: string, file: Uint8Array, extension: string]>([
    ['behind many small boxes', Buffer.concat([box(24), ...SMALL, box(40, 39, 'mdat')]), 'mov'],
    ['within its last box', Buffer.concat([box(24), box(40, 39, 'mdat')]), 'mp4'],
    ['within a long box', Buffer.concat([box(24), box(1, 40, 'mdat', 41)]), 'heic'],
    ['within its last box', Buffer.concat([box(24), box(40, 39, 'mdat')]), 'm4a'],
    ['within its last box', Buffer.concat([box(24), box(40, 39, 'mdat')]), 'avif'],
    ['before the size that it says', riff(93, 100), 'webp'],
    ['before the size that it says', riff(93, 100), 'wav'],
    ['before the size that it says', riff(0x7fff_feff, 100), 'avi'],
  ])('and is not where it is cut off %s', async (_, file, extension) => {
    for (const size of [1, 5, 16, 50, 1_000])
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
