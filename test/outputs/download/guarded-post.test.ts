import { expect, it } from 'vitest';
import { guardedPost } from '../../../src/outputs/download/guarded-post.ts';
import { startOrigin } from '../origin.ts';

const post = { headers: {}, body: '{}', timeout: 2_000 };

it.each(['http://127.0.0.1:1/', 'http://localhost:1/', 'http://169.254.169.254/latest', 'http://[::1]:1/'])(
  'goes to no private address: %s',
  async (url) => {
    await expect(guardedPost(url, { allowPrivate: false }, post)).rejects.toThrow(
      /the callback's host .* is not a public address; DARKROOM_PRIVATE_OUTPUTS=allow permits it/,
    );
  },
);

it('follows no redirect, and tells the status', async () => {
  const origin = await startOrigin((_, response) => {
    response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end();
  });
  expect(await guardedPost(`${origin.url}/a?b=c`, { allowPrivate: true }, post)).toBe(302);
  expect(origin.asked).toEqual(['/a?b=c']);
});

it('gives up where nobody answers in time', async () => {
  const origin = await startOrigin(() => undefined);
  await expect(guardedPost(origin.url, { allowPrivate: true }, { ...post, timeout: 100 })).rejects.toThrow(
    'cannot talk to',
  );
});
