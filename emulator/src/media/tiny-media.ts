import { crc32, inflateRawSync } from 'node:zlib';
import type { StoredOutput } from '../tasks/tasks.ts';
import { wavFile } from './sound/wav.ts';

type Kind = 'image' | 'video' | 'audio';

/** A grey PNG of 2 x 2 pixels. */
const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADklEQVQI12PoAAMGCAUALK4GYWP1ieEAAAAASUVORK5CYII=',
  'base64',
);

/** One second of grey at 16 x 16 pixels: H.264 in MP4, deflated. */
const MP4 = inflateRawSync(
  Buffer.from(
    'zVNNSsNAGH1TLWpRqVChi6IVBLsTRZdCbUHEjS60K0FiJmlDM03JTAN2odkoLj2AiCvxCB7AtXeoCoIncCOjk6YaYu1Wh3m8Gb6/980PgKwpjpqsubIMAIot7jAA56ZrGPj7scqoJgCMGXdTUr61C8cAhrXOzHXAjyE/hfysOOExx/EA2MyrUZXlZaE4rQBycNEF1PweJFY2ti8OFpkAkLUcytUm7fv+CLallCcSIK/C1eoA9kU90EK+tPSqKD0YXL+vnnQIkDNGLQ1AntH+/e7dB2FzNWq7vRyeReMXTNaY1TABZDzWFRsxztOuLUddw4zIGm+5dj5cv3NxaAM45YLTiE9L8/SlX1pTTaSxCQQIPCa3KruL65VyvuxQq1H9eeBZKQHMap5eJiWkZAcj1RJSN1dFgmTtYejSV05cCB4pmgQ2dgAUuODtSLIkgInPJz8aQ44LrkfiwxwBZ7jQnYjt9r98mQ8=',
    'base64',
  ),
);

/** A tenth of a second of silence. */
const WAV = Buffer.from(wavFile(new Int16Array(800), 8000));

/**
 * Valid files of a few hundred bytes. Emulators that are asked for `media: 'tiny'` serve them for every output, so
 * that thousands of tasks a second need no rendering.
 */
export const TINY_MEDIA: Readonly<Record<Kind, { bytes: Buffer; output: StoredOutput }>> = {
  image: tiny('image', PNG, { fileName: 'output.png', contentType: 'image/png', width: 2, height: 2 }),
  video: tiny('video', MP4, {
    fileName: 'output.mp4',
    contentType: 'video/mp4',
    width: 16,
    height: 16,
    duration: 1,
  }),
  audio: tiny('audio', WAV, { fileName: 'output.wav', contentType: 'audio/wav', duration: 0.1 }),
};

/**
 * A tiny file with a mark in its metadata: as valid as without, and no other file has the same bytes. So a file that
 * ends up at the wrong place can be told.
 */
export function markedTiny(media: Kind, mark: string): { bytes: Buffer; output: StoredOutput } {
  const bytes = MARKED[media](Buffer.from(mark, 'latin1'));
  const { output } = TINY_MEDIA[media];
  return {
    bytes,
    output: { ...output, size: bytes.length, etag: `"tiny-${mark}"`, source: { kind: 'tiny', media, mark } },
  };
}

const MARKED: Readonly<Record<Kind, (mark: Buffer) => Buffer>> = {
  image: (mark) => {
    const body = Buffer.concat([Buffer.from('tEXtComment\0', 'latin1'), mark]);
    const end = PNG.length - 12; // IEND is the last chunk: length, type, checksum
    return Buffer.concat([
      PNG.subarray(0, end),
      uint32(body.length - 4),
      body,
      uint32(crc32(body)),
      PNG.subarray(end),
    ]);
  },
  video: (mark) => Buffer.concat([MP4, uint32(8 + mark.length), Buffer.from('free'), mark]),
  audio: (mark) => {
    const text = mark.length % 2 === 0 ? mark : Buffer.concat([mark, Buffer.alloc(1)]); // RIFF chunks are even
    const size = Buffer.alloc(4);
    size.writeUInt32LE(text.length);
    const file = Buffer.concat([WAV, Buffer.from('mark'), size, text]);
    file.writeUInt32LE(file.length - 8, 4);
    return file;
  },
};

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

function tiny(
  media: Kind,
  bytes: Buffer,
  about: Pick<StoredOutput, 'fileName' | 'contentType'> & Partial<StoredOutput>,
): { bytes: Buffer; output: StoredOutput } {
  return {
    bytes,
    output: {
      size: bytes.length,
      width: null,
      height: null,
      duration: null,
      etag: `"tiny-${media}"`,
      source: { kind: 'tiny', media },
      ...about,
    },
  };
}
