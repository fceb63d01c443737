import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError, loadConfig } from '../../src/config/worker-config.ts';

export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
export const OTHER_SECRET = 'whsec_cGFzc3dvcmQtb2YtdHdlbnR5LWZvdXItYnl0ZXM=';
/** All that a worker needs to be told. */
export const MINIMAL = {
  DARKROOM_API_URL: 'https://api.example.com/api/v1',
  DARKROOM_API_KEY: 'sk-live-1',
};

const folder = mkdtempSync(join(tmpdir(), 'darkroom-config-'));
let files = 0;

/** A file of that content, or with that JSON. */
export function file(content: unknown): string {
  files += 1;
  const path = join(folder, `${files}.json`);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

/** What is said to be wrong with these variables, a line each. */
export function complaints(
  env: NodeJS.ProcessEnv,
  load: (env: NodeJS.ProcessEnv) => unknown = loadConfig,
): string[] {
  try {
    load(env);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
}
