import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { onTestFinished, vi } from 'vitest';
import which from 'which';
import { cacheDirectory } from '../../../src/config/cache-directory.ts';
import { freePort } from '../../../src/local/temporal/free-port.ts';
import { patience } from '../../patience.ts';

/** A small S3 server in Go, kept in memory: about 10 s to build once, 20 ms to start. */
const SERVER = 'github.com/johannesboyne/gofakes3/cmd/gofakes3@v1.2.0';

/**
 * The server's executable, built once and cached; undefined where there is no Go or its module cannot be fetched.
 */
export async function s3Server(): Promise<string | undefined> {
  const folder = join(cacheDirectory(), 'gofakes3-1.2.0');
  const path = join(folder, process.platform === 'win32' ? 'gofakes3.exe' : 'gofakes3');
  if (existsSync(path)) return path;
  const go = await which('go', { nothrow: true });
  if (go === null) return undefined;
  await mkdir(folder, { recursive: true });
  try {
    await promisify(execFile)(go, ['install', SERVER], {
      env: { ...process.env, GOBIN: folder },
      timeout: 100_000,
    });
    return path;
  } catch {
    return undefined;
  }
}

/** Starts the server with one bucket, until the test ends, and points the AWS SDK at it. */
export async function startS3(executable: string, bucket: string): Promise<void> {
  const port = await freePort(0);
  const server = spawn(
    executable,
    ['-backend', 'memory', '-host', `127.0.0.1:${port}`, '-initialbucket', bucket],
    {
      stdio: 'ignore',
    },
  );
  onTestFinished(() => {
    server.kill('SIGKILL');
    vi.unstubAllEnvs();
  });
  const url = `http://127.0.0.1:${port}`;
  await vi.waitFor(() => fetch(url), { timeout: patience(10_000), interval: 20 });
  for (const [name, value] of Object.entries({
    AWS_ENDPOINT_URL_S3: url,
    AWS_REGION: 'us-east-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_MAX_ATTEMPTS: '1',
  })) {
    vi.stubEnv(name, value);
  }
}
