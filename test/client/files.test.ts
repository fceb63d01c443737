import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, expectTypeOf, it } from 'vitest';
import { markedTiny } from '../../emulator/src/media/tiny-media.ts';
import { DarkroomClient, type FileInput, file, type Stored } from '../../src/client/index.ts';
import { definePipeline } from '../../src/pipeline/index.ts';
import { emptyFolder, filesUnder } from '../outputs/folder.ts';
import { rejection } from '../rejection.ts';
import { FAST, openWorld, type World } from '../workflows/world.ts';

let world: World;
let darkroom: DarkroomClient;
let folder: string;

beforeAll(async () => {
  world = await openWorld();
  const { taskQueue, outputs } = world.config;
  if (outputs.kind !== 'folder') throw new Error('a folder is what the tests store in');
  folder = outputs.path;
  darkroom = new DarkroomClient(world.client, { taskQueue, outputs: folder });
});
afterAll(() => world.close());

const bytesOf = (mark: string): Uint8Array<ArrayBuffer> => new Uint8Array(markedTiny('image', mark).bytes);
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const policy = FAST;

/** What the API got for a generation's source image. */
async function sentFor(workflowId: string): Promise<Buffer> {
  const [charge] = world.charges(workflowId);
  const input = world.emulator.service().tasks.get(charge?.taskId ?? '')?.input;
  return Buffer.from(await (await fetch(String(input?.['image_url']))).arrayBuffer());
}

describe('a file where a field takes a URL', () => {
  it.each<[string, (path: string, bytes: Uint8Array<ArrayBuffer>) => FileInput]>([
    ['a file of this machine', (path) => file(path)],
    ['bytes', (_, bytes) => Buffer.from(bytes)],
    ['a Blob', (_, bytes) => new Blob([bytes], { type: 'image/png' })],
    ['a File', (_, bytes) => new File([bytes], 'photo.png')],
    ['a web stream', (_, bytes) => new Blob([bytes]).stream()],
    ["a stream of Node's", (path) => createReadStream(path)],
  ])('may be %s; the same content is the same purchase', async (what, source) => {
    const bytes = bytesOf(what);
    const path = join(await emptyFolder(), 'photo.png');
    await writeFile(path, bytes);
    const key = randomUUID();
    const buy = (image_url: FileInput | string) =>
      darkroom.generate('upscale-q', { image_url }, { key, policy });
    const made = await buy(source(path, bytes));
    expect((await sentFor(`generation/${key}`)).equals(bytes)).toBe(true);
    expect(await buy(source(path, bytes))).toEqual(made);
    expect(await buy(await darkroom.upload(file(path)))).toEqual(made);
    expect(await rejection(buy(bytesOf('another')))).toMatchObject({ name: 'KeyInUseError' });
    expect(world.charges(`generation/${key}`)).toHaveLength(1);
    expect(await filesUnder(folder)).toContain(`inputs/sha256/${sha256Of(bytes)}`);
  });

  it('may be what another generation has made: the output, or its stored file', async () => {
    const { outputs } = await darkroom.generate('image-l', { prompt: 'used again' }, { policy });
    const key = randomUUID();
    const made = await darkroom.generate('upscale-q', { image_url: outputs[0] }, { key, policy });
    expect(await darkroom.generate('upscale-q', { image_url: outputs[0].stored.uri }, { key })).toEqual(made);
    expect(sha256Of(await sentFor(`generation/${key}`))).toBe(outputs[0].stored.sha256);
  });

  it('stands in lists, in elements, and in a pipeline, each uploaded once', async () => {
    const [one, two] = [bytesOf('one'), bytesOf('two')];
    const film = definePipeline(
      ({ step, input }) => {
        const still = step('image-l', { prompt: 'both', image_urls: [one, input.photo] });
        const large = step('upscale-q', { image_url: one });
        return { still, large };
      },
      { columns: ['photo'], policy },
    );
    const photo = await darkroom.upload(two);
    const result = await darkroom.run({ ...film, params: { photo } });
    expect(result.steps.still.status).toBe('COMPLETED');
    expect(sha256Of(await sentFor(result.steps.large.workflowId ?? ''))).toBe(sha256Of(one));
    const elements = darkroom.start('image-n', {
      prompt: 'x',
      elements: [{ frontal_image_url: one }],
    });
    // A form has no part for it, and this worker's store no URL.
    const run = await elements;
    expect(await rejection(run.result())).toMatchObject({
      type: 'INVALID_REQUEST',
      reason: expect.stringContaining('set DARKROOM_PUBLIC_OUTPUTS') as unknown,
    });
  });

  it('is uploaded only for a request that is right', async () => {
    const before = await filesUnder(folder);
    const wrong = { image_url: bytesOf('never stored'), upscale_factor: -1 };
    expect(await rejection(darkroom.start('upscale-q', wrong))).toMatchObject({ type: 'INVALID_REQUEST' });
    expect(await filesUnder(folder)).toEqual(before);
    const aborted = darkroom.start(
      'upscale-q',
      { image_url: bytesOf('never stored either') },
      { signal: AbortSignal.abort(new Error('not now')) },
    );
    expect(await rejection(aborted)).toMatchObject({ message: 'not now' });
    expect(await filesUnder(folder)).toEqual(before);
  });

  it('is refused by the worker where the client has another store', async () => {
    const elsewhere = new DarkroomClient(world.client, {
      taskQueue: world.config.taskQueue,
      outputs: await emptyFolder(),
    });
    const lost = elsewhere.generate('upscale-q', { image_url: bytesOf('elsewhere') }, { policy });
    expect(await rejection(lost)).toMatchObject({
      type: 'INVALID_REQUEST',
      reason: expect.stringContaining("needs the worker's DARKROOM_OUTPUTS") as unknown,
    });
  });

  it('is a compile error where a field takes none', () => {
    const program = () => [
      darkroom.start('upscale-q', { image_url: file('a.png') }),
      darkroom.start('image-l', { prompt: 'x', image_urls: [file('a.png'), 'https://files.example/b.png'] }),
      // @ts-expect-error a prompt is a text
      darkroom.start('image-l', { prompt: file('a.png') }),
      // @ts-expect-error a list
      darkroom.start('image-l', { prompt: 'x', image_urls: file('a.png') }),
      // @ts-expect-error this model takes no file
      darkroom.start('speech-b', { text: file('a.png') }),
    ];
    expectTypeOf(program).toBeFunction();
    expect(() => JSON.stringify({ image_url: file('a.png') })).toThrow('DarkroomClient uploads');
  });
});

describe('what was made', () => {
  it('is read, downloaded, and checked against its SHA-256', async () => {
    const { outputs } = await darkroom.generate('image-l', { prompt: 'to be kept' }, { policy });
    const [output] = outputs;
    const { uri, sha256, bytes } = output.stored;
    const read = Buffer.from(await new Response(darkroom.open(output)).arrayBuffer());
    expect(sha256Of(read)).toBe(sha256);
    const to = await emptyFolder();
    const path = await darkroom.download(output, to);
    expect([path, sha256Of(await readFile(path))]).toEqual([join(to, uri.split('/').at(-1) ?? ''), sha256]);
    const named = join(to, 'deep', 'fox.png');
    expect(await darkroom.download(output.stored, named)).toBe(named);
    expect((await readFile(named)).length).toBe(bytes);
    const other: Stored = { ...output.stored, sha256: '0'.repeat(64) };
    expect(await rejection(darkroom.download(other, join(to, 'damaged.png')))).toMatchObject({
      name: 'FileDamaged',
    });
    expect(await filesUnder(to)).toHaveLength(2);
  });

  it('has a URL where the store is public', async () => {
    const { outputs } = await darkroom.generate('image-l', { prompt: 'to be shown' }, { policy });
    expect(await rejection(darkroom.url(outputs[0]))).toMatchObject({
      message: expect.stringContaining('set DARKROOM_PUBLIC_OUTPUTS') as unknown,
    });
    const open = new DarkroomClient(world.client, {
      outputs: folder,
      publicOutputs: 'https://files.example.com/darkroom',
    });
    const key = outputs[0].stored.uri.slice(`file://${folder}/`.length);
    const path = key.split('/').map(encodeURIComponent).join('/');
    expect(await open.url(outputs[0])).toBe(`https://files.example.com/darkroom/${path}`);
  });

  it('has a signed URL where it lies in a bucket', async () => {
    process.env['AWS_ACCESS_KEY_ID'] ??= 'test';
    process.env['AWS_SECRET_ACCESS_KEY'] ??= 'test';
    process.env['AWS_REGION'] ??= 'us-east-1';
    const inBucket = new DarkroomClient(world.client, { outputs: 's3://media/darkroom' });
    const stored = { uri: 's3://media/darkroom/default/a+b/t-0.png', bytes: 1, sha256: '0'.repeat(64) };
    const url = new URL(await inBucket.url(stored, { expires: '10m' }));
    expect(url.pathname).toBe('/darkroom/default/a%2Bb/t-0.png');
    expect(url.searchParams.get('X-Amz-Expires')).toBe('600');
    expect(await rejection(inBucket.url(stored, { expires: 'soon' as '1h' }))).toBeInstanceOf(RangeError);
  });
});
