import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fileTypeFromBuffer } from 'file-type';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openWorld, type World } from '../workflows/world.ts';
import { ended, environmentOf } from './foreign-program.ts';

let world: World;
let folder: string;

beforeAll(async () => {
  world = await openWorld();
  folder = await mkdtemp(join(tmpdir(), 'darkroom-readme-'));
});
afterAll(async () => {
  await world.close();
  await rm(folder, { recursive: true, force: true });
});

it("the README's first service is ten lines, and twice run it is one purchase", async () => {
  const page = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const [, service = ''] = /```ts\n(.*?)```/s.exec(page) ?? [];
  expect(service.split('\n').filter((line) => line !== '').length).toBeLessThanOrEqual(10);
  const key = randomUUID();
  await writeFile(join(folder, 'service.mts'), service.replace('order-17', key));
  const { outputs } = world.config;
  const env = {
    ...environmentOf(world),
    DARKROOM_OUTPUTS: outputs.kind === 'folder' ? outputs.path : '',
  };
  const packageHere = fileURLToPath(new URL('own-package.ts', import.meta.url));
  for (let times = 0; times < 2; times += 1) {
    const args = ['--import', packageHere, 'service.mts'];
    const run = await ended(process.execPath, args, { cwd: folder, env });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const type = await fileTypeFromBuffer(await readFile(join(folder, 'fox.png')));
    expect(type?.mime).toBe('image/png');
    await rm(join(folder, 'fox.png'));
  }
  expect(world.charges(`generation/${key}`)).toHaveLength(1);
});
