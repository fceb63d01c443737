import { randomUUID } from 'node:crypto';
import { stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { markedTiny } from '../../emulator/src/media/tiny-media.ts';
import { openWorld, type World } from '../workflows/world.ts';
import { ended, environmentOf } from './foreign-program.ts';

const called = Promise.withResolvers<string>();
const service = createServer((request, response) => {
  void text(request).then(called.resolve);
  response.writeHead(204).end();
});
let world: World;
let callback: string;
let folder: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  callback = `http://127.0.0.1:${(service.address() as AddressInfo).port}/done`; // it listens on a port
  const secrets = [`whsec_${Buffer.from(randomUUID()).toString('base64')}`];
  world = await openWorld({ config: { callbacks: { prefixes: [callback], secrets } } });
  const { outputs } = world.config;
  folder = outputs.kind === 'folder' ? outputs.path : '';
});
afterAll(async () => {
  service.close();
  await world.close();
});

/** What a task of the comparison's with Darkroom returns, run as the service that it is a part of. */
async function done(task: string, call: string, given: Record<string, string>): Promise<string> {
  const url = new URL(`../../compare/tasks/darkroom/${task}.ts`, import.meta.url).href;
  const program = `import * as task from ${JSON.stringify(url)};
const given = ${JSON.stringify(given)};
console.log(await task.${call});
process.exit();`;
  const run = await ended(process.execPath, ['--input-type=module', '-e', program], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: { ...environmentOf(world), DARKROOM_OUTPUTS: folder },
  });
  expect(run).toMatchObject({ code: 0, stderr: '' });
  return run.stdout.trim();
}

it('the five tasks of the comparison do with Darkroom what they say', async () => {
  const [photo, drawn] = [join(folder, 'photo.png'), join(folder, 'fox.png')];
  await writeFile(photo, markedTiny('image', randomUUID()).bytes);
  const key = randomUUID();
  const given = { key, photo, drawn, callback, prompt: `a red fox ${key}` };
  const isUrl = expect.stringMatching(/^http/) as unknown;
  expect(await done('local-file', 'enlarge(given.photo, given.key)', given)).toEqual(isUrl);
  await done('to-disk', 'draw(given.prompt, given.drawn, given.key + "-drawn")', given);
  expect((await stat(drawn)).size).toBeGreaterThan(0);
  await done('webhook', 'order(given.prompt, given.callback, given.key + "-called")', given);
  expect(await called.promise).toContain(`generation/${key}-called`);
  const shown = await done(
    'progress',
    'film(given.prompt, ({ state }) => console.log(state), given.key + "-film")',
    given,
  );
  expect(shown).toMatch(/^done\nhttp.*$/m);
  expect(await done('pipeline', 'film(given.prompt, given.key)', given)).toEqual(isUrl);
  expect(world.charges(`generation/${key}/clip`)).toHaveLength(1);
});
