import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file of the page, held in memory: all of them together are some tens of kilobytes. */
export interface PageFile {
  contentType: string;
  bytes: Buffer;
  etag: string;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const FOLDER = fileURLToPath(new URL('page/', import.meta.url));

let files: ReadonlyMap<string, PageFile> | undefined;

/**
 * The page's files by their path below `page/`, and Preact, which is served as its package ships it. They are
 * served as they lie there: nothing is built.
 */
export function pageFiles(): ReadonlyMap<string, PageFile> {
  files ??= readPageFiles();
  return files;
}

function readPageFiles(): ReadonlyMap<string, PageFile> {
  const found = new Map<string, PageFile>();
  for (const name of readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType !== undefined)
      found.set(name.replaceAll('\\', '/'), pageFile(FOLDER + name, contentType));
  }
  found.set(
    'preact.js',
    pageFile(fileURLToPath(import.meta.resolve('preact')), 'text/javascript; charset=utf-8'),
  );
  return found;
}

function pageFile(path: string, contentType: string): PageFile {
  const bytes = readFileSync(path);
  return { contentType, bytes, etag: `"${hash('sha256', bytes, 'hex').slice(0, 32)}"` };
}
