import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Emulator, startEmulator } from '../../../emulator/src/server.ts';
import { ApiCaller } from '../api-caller.ts';

describe('the dashboard’s files', () => {
  let emulator: Emulator;
  let api: ApiCaller;

  beforeAll(async () => {
    emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 1, run: 1 } });
    api = new ApiCaller(emulator);
  });
  afterAll(() => emulator.close());

  test('are served at / and /dashboard under a policy that lets nothing in from elsewhere', async () => {
    for (const path of ['/', '/dashboard']) {
      const { status, headers, body } = await api.call('GET', emulator.url + path);
      expect(status).toBe(200);
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8');
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self'/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(body).not.toMatch(/https?:|style=|\son\w+=|<script>/);
    }
    const first = await api.call('GET', `${emulator.url}/dashboard/main.js`);
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' };
    expect((await api.call('GET', `${emulator.url}/dashboard/main.js`, undefined, headers)).status).toBe(304);
  });

  test('are those of the page and no others, and only for this machine’s own names', async () => {
    const paths = [
      'nothing.js',
      '%2e%2e/dashboard.ts',
      'tsconfig.json',
      'types.d.ts',
      'media/x/0',
      'media/../0',
    ];
    const answers = await Promise.all(
      paths.map((path) => api.call('GET', `${emulator.url}/dashboard/${path}`)),
    );
    expect(answers.map(({ status }) => status)).toEqual(paths.map(() => 404));
    expect((await api.call('POST', `${emulator.url}/dashboard`, {})).status).toBe(405);
    const evil = { origin: 'https://evil.example' };
    expect((await api.call('GET', `${emulator.url}/`, undefined, evil)).status).toBe(403);
  });

  test('show outputs without meeting faults, counting downloads or letting a script in them run', async () => {
    const id = await api.accepted('image-l', { prompt: 'x' });
    await api.settled(id);
    await api.control('POST /faults', { on: 'file', fault: { kind: 'expired' } });
    const { body } = await api.get(id);
    expect((await api.call('GET', body.data.image.url)).status).toBe(403);
    const shown = await api.call('GET', `${emulator.url}/dashboard/media/${id}/0`);
    expect(shown.status).toBe(200);
    expect(shown.headers.get('content-security-policy')).toBe('sandbox allow-same-origin');
    const small = await api.call('GET', `${emulator.url}/dashboard/thumbnails/${id}/0`);
    expect(small.headers.get('content-type')).toBe('image/webp');
    expect((await api.control('GET /counters')).body.requests.file).toBe(1);
    await api.control(`POST /tasks/${id}/vanish`);
    expect((await api.call('GET', `${emulator.url}/dashboard/media/${id}/0`)).status).toBe(200);
  });
});
