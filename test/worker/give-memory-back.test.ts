import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import { expect, it } from 'vitest';

const MODULE = pathToFileURL(join(import.meta.dirname, '../../src/worker/give-memory-back.ts')).href;

/** Keeps making objects for a while; then says how large its heap is, and again when that has become smaller. */
const PROGRAM = `
  import { memoryUsage } from 'node:process';
  import { giveMemoryBack } from ${JSON.stringify(MODULE)};
  giveMemoryBack({ first: 100, idle: 500 });
  let kept = [];
  for (let i = 0; i < 4_000_000; i += 1) {
    kept.push({ i });
    if (i % 400_000 === 0) kept = [];
  }
  kept = [];
  const before = memoryUsage().heapTotal;
  console.log('busy');
  setInterval(() => {
    if (memoryUsage().heapTotal < before / 3) console.log('given back');
  }, 50);
`;

it('an idle process gives back what its load has needed', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', PROGRAM]);
  const lines = createInterface({ input: child.stdout });
  expect(await once(lines, 'line')).toEqual(['busy']);
  expect(await once(lines, 'line')).toEqual(['given back']);
  child.kill();
});
