import { LocalFile } from '../../contract/file-input.ts';

/**
 * A file of this machine, for a field that takes a URL: it is uploaded when the request is started, once.
 *
 * ```ts
 * await darkroom.generate('upscale-q', { image_url: file('photo.png') }, { key: 'order-17' });
 * ```
 */
export function file(path: string, { contentType }: { contentType?: string } = {}): LocalFile {
  return new LocalFile(path, contentType);
}
