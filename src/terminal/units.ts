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

/** How long something took or has been, for people: `0.8 s`, `12.3 s`, `4 min 05 s`, `2 h 03 min`, `3 d 4 h`. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 60) return formatSeconds(milliseconds);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${twoDigits(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${twoDigits(minutes % 60)} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** How old something is, in one unit: `12 s`, `4 min`, `3 h`, `2 d`. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1_000));
  if (seconds < 120) return `${seconds} s`;
  if (seconds < 120 * 60) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 48 * 3_600) return `${Math.floor(seconds / 3_600)} h`;
  return `${Math.floor(seconds / 86_400)} d`;
}

function twoDigits(count: number): string {
  return String(count).padStart(2, '0');
}

/** A stored file as one would type it here: a path below the current folder where it is one, else the whole. */
export function formatUri(uri: string): string {
  if (!uri.startsWith('file:')) return uri;
  const path = fileURLToPath(uri);
  const near = relative(process.cwd(), path);
  return near.startsWith('..') ? path : near;
}
