import { readFileSync } from 'node:fs';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { beforeAll, describe, expect, it } from 'vitest';
import { inputSchema } from '../../../src/api/models/json-schema.ts';
import { MODEL_IDS, MODELS } from '../../../src/api/models/registry.ts';
import { FILES, filesByUrl } from './effect-files.ts';
import { EFFECTS, type Facts } from './effects.ts';
import { type Made, type MadeOf, openStudio } from './made-of.ts';
import { meanColour } from './picture/picture-facts.ts';

let madeOf: MadeOf;
beforeAll(async () => {
  madeOf = await openStudio();
});

const ROWS = MODEL_IDS.flatMap((model) =>
  EFFECTS[model].effects.map((effect) => ({ model, effect, name: `${model}: ${effect[0]}` })),
);

describe('a field of an input changes the output as the table says', () => {
  it.each(ROWS)('$name', async ({ model, effect: [field, value, seen, base = EFFECTS[model].base] }) => {
    const [before, after] = [await madeOf(model, base), await madeOf(model, { ...base, [field]: value })];
    const sees = ({ facts, digest }: Made): unknown => (seen === 'other bytes' ? digest : facts[seen[0]]);
    expect(sees(after)).not.toBe(sees(before));
    expect(sees(after)).toBe(seen === 'other bytes' ? after.digest : seen[1]);
  });

  it.each(MODEL_IDS)('%s has no other field', (model) => {
    const { effects, none } = EFFECTS[model];
    const told = new Set([...effects.map(([field]) => field), ...Object.keys(none)]);
    expect([...told].toSorted()).toEqual(Object.keys(inputSchema(MODELS[model]).properties ?? {}).toSorted());
  });
});

describe('a field without an effect', () => {
  const SILENT = MODEL_IDS.filter((model) => Object.keys(EFFECTS[model].none).length > 0);

  it.each(SILENT)('changes nothing in %s', async (model) => {
    const { base, none } = EFFECTS[model];
    const [without, beside] = [await madeOf(model, base), await madeOf(model, { ...base, ...none })];
    expect(beside).toEqual(without);
  });

  it.each(SILENT)('stands on the page of the emulator, with %s', (model) => {
    const page = readFileSync(new URL('../../../docs/emulator.md', import.meta.url), 'utf8');
    const fields = Object.keys(EFFECTS[model].none).map((field) => `\`${field}\``);
    expect(page.split('\n')).toContain(`- ${model}: ${fields.join(', ')}`);
  });
});

/** The packets of a track, as text. */
async function packetsOf(bytes: Uint8Array, kind: 'sound' | 'key frames'): Promise<string[]> {
  using input = new Input({ source: new BufferSource(bytes), formats: ALL_FORMATS });
  const track = await (kind === 'sound' ? input.getPrimaryAudioTrack() : input.getPrimaryVideoTrack());
  if (!track) return [];
  const found: string[] = [];
  for await (const { type, data } of new EncodedPacketSink(track).packets())
    if (type === 'key') found.push(Buffer.from(data).toString('base64'));
  return found;
}

const sizeOf = async (
  model: (typeof MODEL_IDS)[number],
  input: Readonly<Record<string, unknown>>,
): Promise<Facts['size']> => (await madeOf(model, input)).facts.size;

describe('what a specification says of a model alone', () => {
  it.each(['auto', 'origin'])(
    'an edit of video-d keeps the sound of its video (%s)',
    async (audio_setting) => {
      const input = { prompt: 'at night', video_url: FILES.clip, audio_setting };
      const [edited] = (await madeOf('video-d', input)).assets;
      const source = (await filesByUrl()).get(FILES.clip) ?? new Uint8Array();
      const sound = await packetsOf(source, 'sound');
      expect(sound.length).toBeGreaterThan(10);
      expect(await packetsOf(edited?.bytes ?? source, 'sound')).toEqual(sound);
    },
  );

  it('video-j always has sound; video-e has none', async () => {
    const prompt = 'a lamp';
    expect((await madeOf('video-j', { prompt })).facts.sound).toBe('aac');
    expect((await madeOf('video-e', { prompt, first_frame_url: FILES.red })).facts.sound).toBeUndefined();
  });

  it('video-k begins as its first frame and ends as its last one', async () => {
    const keyFrames = async (first_frame_url: string, last_frame_url: string): Promise<string[]> => {
      const input = { prompt: 'a lamp', first_frame_url, last_frame_url, aspect_ratio: '16:9', duration: 13 };
      const [made] = (await madeOf('video-k', input)).assets;
      return packetsOf(made?.bytes ?? new Uint8Array(), 'key frames');
    };
    const redToBlue = await keyFrames(FILES.red, FILES.blue);
    const tallToBlue = await keyFrames(FILES.tall, FILES.blue);
    const redToTall = await keyFrames(FILES.red, FILES.tall);
    expect(redToBlue.length).toBeGreaterThan(5);
    expect(redToBlue[0]).toBe(redToTall[0]);
    expect(redToBlue[0]).not.toBe(tallToBlue[0]);
    expect(redToBlue.at(-1)).toBe(tallToBlue.at(-1));
    expect(redToBlue.at(-1)).not.toBe(redToTall.at(-1));
  });

  it('speech-b speaks the language of its code, as speech-a that of its name', async () => {
    const text = 'good evening';
    const german = await madeOf('speech-b', { text, language_code: 'de' });
    expect(german.digest).toBe((await madeOf('speech-a', { text, language: 'German' })).digest);
    expect(german.digest).not.toBe((await madeOf('speech-b', { text, language_code: 'fr' })).digest);
  });

  it('upscale-q doubles by default, and goes by its factor up to the largest side', async () => {
    const sizes = [undefined, 2, 4, 100].map((upscale_factor) =>
      sizeOf('upscale-q', {
        image_url: FILES.red,
        ...(upscale_factor === undefined ? {} : { upscale_factor }),
      }),
    );
    expect(await Promise.all(sizes)).toEqual(['128x128', '128x128', '256x256', '4096x4096']);
  });

  it('image-o is made from its picture: it has the colour of that', async () => {
    const colourOf = async (image_url: string): Promise<number[]> => {
      const [made] = (await madeOf('image-o', { prompt: 'a lamp', image_url })).assets;
      return meanColour(made?.bytes ?? new Uint8Array(), { left: 0, top: 0, width: 32, height: 32 });
    };
    const [redOfRed = 0, , blueOfRed = 0] = await colourOf(FILES.red);
    const [redOfBlue = 0, , blueOfBlue = 0] = await colourOf(FILES.blue);
    expect(redOfRed).toBeGreaterThan(redOfBlue + 40);
    expect(blueOfBlue).toBeGreaterThan(blueOfRed + 40);
  });
});
