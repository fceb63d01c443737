import { basename, dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type OutputLocation, usesPathStyle } from './output-location.ts';

/**
 * The store in which a stored file lies, and its key there, by the file's own URI: results may be of another store than
 * the present one.
 *
 * @param own the present store: buckets are addressed as it is
 * @throws TypeError for a URI of no store
 */
export function storedAt(uri: string, own: OutputLocation): { location: OutputLocation; key: string } {
  if (uri.startsWith('file:')) {
    const path = fileURLToPath(uri);
    return { location: { kind: 'folder', path: dirname(path) }, key: basename(path) };
  }
  const named = /^s3:\/\/([^/]+)\/(.+)$/.exec(uri);
  if (named === null) throw new TypeError(`${uri} is no stored file's URI`);
  const [, bucket = '', key = ''] = named;
  const pathStyle = own.kind === 's3' ? own.pathStyle : usesPathStyle(process.env);
  return { location: { kind: 's3', bucket, prefix: '', pathStyle }, key };
}
