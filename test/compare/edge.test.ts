import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { COMPETITORS, type CompetitorName, NAMES } from '../../compare/contest/competitors.ts';
import { Edge, type Fate } from '../../compare/edge/edge.ts';
import { type Emulator, startEmulator } from '../../emulator/src/server.ts';

/** Of each package, as its own code sends them: the host, the path and the body of a submit. */
const SUBMITS: Readonly<Record<CompetitorName, readonly [path: string, body: (prompt: string) => object]>> = {
  fal: ['queue.fal.run/fal-ai/flux/dev', (prompt) => ({ prompt })],
  replicate: ['api.replicate.com/v1/models/a/b/predictions', (prompt) => ({ input: { prompt } })],
  runway: ['api.dev.runwayml.com/v1/text_to_image', (promptText) => ({ promptText })],
  'ai-sdk': ['fal.run/fal-ai/flux/schnell', (prompt) => ({ prompt })],
  'poll-in-activity': ['api/v1/generation/darkroom/image-l', (prompt) => ({ prompt })],
  'by-hand': ['api/v1/generation/darkroom/image-l', (prompt) => ({ prompt })],
  darkroom: ['api/v1/generation/darkroom/image-l', (prompt) => ({ prompt })],
};

let emulator: Emulator;
let edge: Edge;

beforeEach(async () => {
  emulator = await startEmulator({ port: 0, media: 'tiny', durations: { queue: 1, run: 1 } });
});
afterEach(async () => {
  await edge.away();
  await emulator.close();
});

async function open(name: CompetitorName, fate: Fate = 'taken'): Promise<void> {
  edge = new Edge({ protocol: COMPETITORS[name].protocol, api: emulator, fate: () => fate });
  await edge.open();
}

async function submit(name: CompetitorName): Promise<Response> {
  const [path, body] = SUBMITS[name];
  return await fetch(`${edge.url}/${path}`, {
    method: 'POST',
    body: JSON.stringify(body('order 3: a lighthouse')),
  });
}

async function charges(): Promise<{ workflow: string }[]> {
  const answer = await fetch(`${emulator.controlUrl}/ledger`);
  return ((await answer.json()) as { charges: { workflow: string }[] }).charges;
}

describe.each(NAMES)('the front door for %s', (name) => {
  it('takes a submit, and the order is charged', async () => {
    await open(name);
    expect((await submit(name)).ok).toBe(true);
    expect((await charges()).map(({ workflow }) => workflow)).toEqual(['order/3']);
    expect(edge.of(3)).toEqual({ posts: 1, taken: 1, gets: 0 });
  });

  it('loses an answer: the order is charged, and the connection is reset', async () => {
    await open(name, 'lost');
    await expect(submit(name)).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
    expect(await charges()).toHaveLength(1);
  });

  it.each(['rate limited', 'unavailable', 'rejected'] as const)(
    'refuses as %s, and charges nothing',
    async (fate) => {
      await open(name, fate);
      const { status } = await submit(name);
      expect(fate === 'rejected' ? [400, 422] : fate === 'unavailable' ? [503] : [429]).toContain(status);
      expect(await charges()).toEqual([]);
    },
  );

  it('is away, and comes back where it was', async () => {
    await open(name);
    await edge.away();
    await expect(submit(name)).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
    await edge.open();
    expect((await submit(name)).ok).toBe(true);
  });
});

it('holds an answer until it is released', async () => {
  await open('replicate');
  edge.held.add(3);
  const answer = submit('replicate');
  await expect.poll(() => edge.of(3).taken).toBe(1);
  edge.release();
  expect((await answer).status).toBe(201);
});
