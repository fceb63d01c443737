import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';

/** `812 B`, `1.2 kB`, `34 MB` */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000;
    unit += 1;
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit] ?? ''}`;
}

/** `0.8 s`, `12.3 s` from milliseconds. */
export function formatSeconds(milliseconds: number): string {
  return `${(milliseconds / 1_000).toFixed(1)} s`;
}

/** A stored file as one would type it here: a path below the current folder where it is one, else the whole. */
export function formatUri(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  const path = fileURLToPath(uri);
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
