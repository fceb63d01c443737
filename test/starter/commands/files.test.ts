import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markedTiny } from '../../../emulator/src/media/tiny-media.ts';
import { emptyFolder, filesUnder } from '../../outputs/folder.ts';
import { FAST } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

describe('starter: files', () => {
  it('uploads @photo.png, and writes what is made of it into a folder', async () => {
    const folder = await emptyFolder();
    const photo = join(folder, 'photo.png');
    await writeFile(photo, markedTiny('image', 'by the command line').bytes);
    const id = randomUUID();
    const args = ['generate', 'upscale-q', `image_url=@${photo}`, '--id', id, '--policy', POLICY];
    const { code, json, stderr } = await world.runHere(...args, '--out', join(folder, 'made'), '--json');
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(json()).toMatchObject({ status: 'COMPLETED' });
    const [charge] = world.charges(`generation/${id}`);
    const input = world.emulator.service().tasks.get(charge?.taskId ?? '')?.input;
    const sent = await (await fetch(String(input?.['image_url']))).arrayBuffer();
    expect(Buffer.from(sent).equals(await readFile(photo))).toBe(true);
    expect(await filesUnder(join(folder, 'made'))).toEqual([`${id}.png`]);

    const again = await world.runHere('download', `generation/${id}`, '--out', folder, '--json');
    expect(again.json()).toMatchObject({ files: [{ path: join(folder, `${id}.png`) }] });
    expect(await readFile(join(folder, `${id}.png`))).toEqual(
      await readFile(join(folder, 'made', `${id}.png`)),
    );
  });

  it('writes the files of a pipeline by its steps, also where another step has failed', async () => {
    const folder = await emptyFolder();
    const prompt = `fails ${randomUUID()}`;
    world.fault({
      on: 'task',
      match: { promptIncludes: prompt },
      fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
    });
    const id = randomUUID();
    const path = await world.file('film.json', {
      policy: FAST,
      steps: {
        stills: { model: 'image-l', input: { prompt: 'two stills', n: 2 } },
        large: { model: 'upscale-q', input: { image_url: { $each: 'stills' } } },
        clip: { model: 'video-g', input: { prompt } },
      },
    });
    expect((await world.runHere('run', path, '--id', id)).code).toBe(1);
    const { code, stdout } = await world.runHere('download', `pipeline/${id}`, '--out', folder);
    expect(code).toBe(0);
    const names = ['large-0.png', 'large-1.png', 'stills-1.png', 'stills-2.png'];
    expect(await filesUnder(folder)).toEqual(names);
    for (const name of names) expect(stdout).toContain(join(folder, name));
  });

  it('writes each file of a pipeline, also where a step is called like the output of another one', async () => {
    const folder = await emptyFolder();
    const id = randomUUID();
    const still = (n: number) => ({ model: 'image-l', input: { prompt: `names ${n}`, n } });
    const path = await world.file(`${id}.json`, {
      policy: FAST,
      steps: { stills: still(2), 'stills-1': still(1), 'STILLS-2': still(1) },
    });
    const { code } = await world.runHere('run', path, '--id', id, '--out', folder);
    expect(code).toBe(0);
    const names = ['STILLS-2.2.png', 'stills-1.2.png', 'stills-1.png', 'stills-2.png'];
    expect(await filesUnder(folder)).toEqual(names);
    const again = await world.runHere('download', `pipeline/${id}`, '--out', folder, '--json');
    const { files } = again.json() as { files: { path: string }[] };
    expect(files.map((file) => file.path).sort()).toEqual(names.map((name) => join(folder, name)));
  });

  it.each([
    [['generate', 'upscale-q', 'image_url=@/no/such.png'], 'there is no file /no/such.png'],
    [['download', 'generation/never-started'], 'generation/never-started'],
  ])('%j: says what is not there', async (args, message) => {
    const { code, stderr } = await world.runHere(...args);
    expect(code).not.toBe(0);
    expect(stderr).toContain(message);
  });
});
