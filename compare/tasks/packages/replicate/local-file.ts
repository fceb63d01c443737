import { readFile } from 'node:fs/promises';
import Replicate, { type FileOutput } from 'replicate';

const replicate = new Replicate();

export async function enlarge(path: string): Promise<string> {
  const output = await replicate.run('nightmareai/real-esrgan', { input: { image: await readFile(path) } });
  return (output as FileOutput).url().href;
}
