/** What a media file is made of, as far as `inspect-media` treats it differently. */
type MediaKind = 'image' | 'container' | 'other';

/** A file format, known by its first bytes. */
export interface MediaType {
  type: string;
  /** Other names under which the same bytes are served. */
  aliases: readonly string[];
  extension: string;
  kind: MediaKind;
}

interface Magic extends MediaType {
  matches: (head: Uint8Array) => boolean;
}

/** How many bytes `mediaType` wants to see. */
export const HEAD_BYTES = 4_096;

/** Latin-1 text at an offset. */
const at =
  (offset: number, text: string) =>
  (head: Uint8Array): boolean =>
    latin1(head, offset, offset + text.length) === text;
const riff = (form: string) => (head: Uint8Array) => at(0, 'RIFF')(head) && at(8, form)(head);
/** ISO base media: the major brand, or one of the compatible ones. */
const brand = (pattern: RegExp) => (head: Uint8Array) =>
  at(4, 'ftyp')(head) && pattern.test(latin1(head, 8, Math.min(256, boxEnd(head))));
const ebml = (documentType: string) => (head: Uint8Array) =>
  at(0, '\x1aE\xdf\xa3')(head) && latin1(head, 4, 128).includes(documentType);

/** The first that matches counts. */
const MAGIC: readonly Magic[] = [
  image('image/png', 'png', at(0, '\x89PNG\r\n\x1a\n'), ['image/apng', 'image/x-png']),
  image('image/jpeg', 'jpg', at(0, '\xff\xd8\xff'), ['image/jpg', 'image/pjpeg']),
  image('image/webp', 'webp', riff('WEBP')),
  image('image/gif', 'gif', (head) => at(0, 'GIF87a')(head) || at(0, 'GIF89a')(head)),
  image('image/avif', 'avif', brand(/^avi[fs]/)),
  image('image/heic', 'heic', brand(/^(?:hei[cxms]|hev[cxms]|mif1|msf1)/), ['image/heif']),
  image('image/tiff', 'tif', (head) => at(0, 'II*\0')(head) || at(0, 'MM\0*')(head)),
  image('image/bmp', 'bmp', (head) => at(0, 'BM')(head) && at(6, '\0\0\0\0')(head), ['image/x-ms-bmp']),
  image('image/jxl', 'jxl', (head) => at(0, '\xff\x0a')(head) || at(0, '\0\0\0\x0cJXL \r\n')(head)),
  container('audio/mp4', 'm4a', brand(/^M4[AB] /), ['audio/x-m4a', 'audio/m4a', 'audio/aac', 'video/mp4']),
  container('video/quicktime', 'mov', brand(/^qt {2}/), ['video/mov']),
  container('video/mp4', 'mp4', brand(/^/), ['video/x-m4v', 'audio/mp4', 'application/mp4', 'video/3gpp']),
  container('video/quicktime', 'mov', (head) => /^(?:moov|mdat|wide|free)$/.test(latin1(head, 4, 8))),
  container('video/webm', 'webm', ebml('webm'), ['audio/webm']),
  container('video/x-matroska', 'mkv', ebml('matroska'), ['video/matroska', 'audio/x-matroska']),
  container('audio/wav', 'wav', riff('WAVE'), ['audio/x-wav', 'audio/wave', 'audio/vnd.wave']),
  container('audio/ogg', 'ogg', at(0, 'OggS'), ['audio/opus', 'video/ogg', 'application/ogg']),
  container('audio/flac', 'flac', at(0, 'fLaC'), ['audio/x-flac']),
  container('audio/aac', 'aac', isAdts, ['audio/aacp', 'audio/x-aac']),
  container('audio/mpeg', 'mp3', (head) => at(0, 'ID3')(head) || isMp3Frame(head), [
    'audio/mp3',
    'audio/x-mp3',
  ]),
  other('video/x-msvideo', 'avi', riff('AVI ')),
  other('audio/aiff', 'aiff', (head) => at(0, 'FORM')(head) && /^AIF[FC]$/.test(latin1(head, 8, 12))),
  other('model/gltf-binary', 'glb', at(0, 'glTF')),
];

/** The format that a file's first bytes show, whatever anyone says about it; undefined for an unknown one. */
export function mediaType(head: Uint8Array): MediaType | undefined {
  return MAGIC.find(({ matches }) => matches(head));
}

/** Whether a content type names this format, by its own name or another one. */
export function isCalled(media: MediaType, contentType: string): boolean {
  const name = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  return name === media.type || media.aliases.includes(name);
}

function image(type: string, extension: string, matches: Magic['matches'], aliases: string[] = []): Magic {
  return { type, extension, aliases, kind: 'image', matches };
}

function container(
  type: string,
  extension: string,
  matches: Magic['matches'],
  aliases: string[] = [],
): Magic {
  return { type, extension, aliases, kind: 'container', matches };
}

function other(type: string, extension: string, matches: Magic['matches']): Magic {
  return { type, extension, aliases: [], kind: 'other', matches };
}

function latin1(head: Uint8Array, start: number, end: number): string {
  return Buffer.from(head.subarray(start, end)).toString('latin1');
}

function boxEnd(head: Uint8Array): number {
  return head.byteLength < 4 ? 0 : new DataView(head.buffer, head.byteOffset, 4).getUint32(0);
}

function isAdts(head: Uint8Array): boolean {
  const [first = 0, second = 0] = head;
  return first === 0xff && (second & 0xf6) === 0xf0;
}

/** A frame header of MPEG audio layer III: sync, and no reserved version, bit rate or sampling rate. */
function isMp3Frame(head: Uint8Array): boolean {
  const [first = 0, second = 0, third = 0] = head;
  return (
    first === 0xff &&
    (second & 0xe0) === 0xe0 &&
    (second & 0x18) !== 0x08 &&
    (second & 0x06) === 0x02 &&
    (third & 0xf0) !== 0xf0 &&
    (third & 0x0c) !== 0x0c
  );
}
