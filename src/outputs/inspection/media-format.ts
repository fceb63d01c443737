import { fileTypeFromBuffer } from 'file-type';
import mime from 'mime';

/** A file format: its content type without parameters, and the extension of its files without the dot. */
export interface MediaFormat {
  type: string;
  extension: string;
}

/** How many bytes `sniffFormat` wants to see: file-type's own recommendation, rounded to a page. */
export const HEAD_BYTES = 4_096;

/** Names of file-type's that are rarer than what servers, and our users, know the same format by. */
const COMMON_NAMES: Readonly<Record<string, MediaFormat>> = {
  'audio/x-m4a': { type: 'audio/mp4', extension: 'm4a' },
  'application/ogg': { type: 'audio/ogg', extension: 'ogg' },
  'video/matroska': { type: 'video/x-matroska', extension: 'mkv' },
  'video/vnd.avi': { type: 'video/x-msvideo', extension: 'avi' },
};

/** Names beside those in the registry of media types, by extension: unregistered ones, and sound in a container. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  jpg: ['image/jpg', 'image/pjpeg'],
  apng: ['image/png'],
  mp4: ['audio/mp4', 'video/x-m4v', 'video/3gpp'],
  m4a: ['audio/m4a', 'audio/aac', 'video/mp4'],
  mov: ['video/mov'],
  webm: ['audio/webm'],
  mkv: ['video/matroska', 'audio/x-matroska'],
  wav: ['audio/vnd.wave'],
  ogg: ['audio/opus', 'video/ogg', 'application/ogg'],
  opus: ['audio/opus'],
  aac: ['audio/aacp', 'audio/x-aac'],
  mp3: ['audio/x-mp3'],
};

/**
 * The format that a file's first bytes show, whatever anyone says about it; null for an unknown one.
 *
 * Only for the inspection's own process: it reads what strangers sent.
 */
export async function sniffFormat(head: Uint8Array): Promise<MediaFormat | null> {
  const found = await fileTypeFromBuffer(head);
  if (found === undefined) return null;
  const type = found.mime.split(';', 1)[0]?.trim() ?? '';
  return COMMON_NAMES[type] ?? { type, extension: found.ext };
}

/** Whether it is something to see, hear or show. */
export function isMedia(format: MediaFormat | null): boolean {
  return format !== null && /^(?:image|audio|video|model|font)\//.test(format.type);
}

/** Whether a content type names this format, by its own name or another one. */
export function isCalled({ type, extension }: MediaFormat, contentType: string): boolean {
  return (
    contentType === type ||
    mime.getAllExtensions(contentType)?.has(extension) === true ||
    OTHER_NAMES[extension]?.includes(contentType) === true
  );
}
