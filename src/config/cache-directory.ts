import { resolve } from 'node:path';
import envPaths from 'env-paths';

/**
 * Where things live that are worth keeping between runs and between checkouts: `$DARKROOM_CACHE`, else the platform's
 * own place for a user's caches. The folder need not exist.
 */
export function cacheDirectory(env: NodeJS.ProcessEnv = process.env): string {
  return env['DARKROOM_CACHE'] ? resolve(env['DARKROOM_CACHE']) : envPaths('darkroom', { suffix: '' }).cache;
}
