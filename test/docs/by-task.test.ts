import { readFile } from 'node:fs/promises';
import { beforeAll, describe, expect, it } from 'vitest';
import { DarkroomClient } from '../../src/client/darkroom-client.ts';
import { starterHere } from '../starter/run-program.ts';

/** No task of anybody's, or a class's own affair. */
const LEFT_OUT = new Set([
  'constructor',
  'completion',
  'help',
  'close',
  'attached',
  'prepared',
  'preparedRows',
]);

let table: string;
beforeAll(async () => {
  const page = await readFile('docs/calling.md', 'utf8');
  table = page
    .split('\n')
    .filter((line) => line.startsWith('|'))
    .join('\n');
});

describe('the table of tasks on the page about calling', () => {
  it('has every command of --help', async () => {
    const { stdout } = await starterHere(['--help']);
    const [listed = ''] = (stdout.split('Commands:')[1] ?? '').split('\n\n');
    const commands = [...listed.matchAll(/^ {2}([a-z]+) /gm)].map(([, name = '']) => name);
    expect(commands.length).toBeGreaterThan(15);
    const missing = commands.filter(
      (name) => !LEFT_OUT.has(name) && !new RegExp(`\`${name}[ \`]`).test(table),
    );
    expect(missing).toEqual([]);
  });

  it('has every call of the client', () => {
    const calls = callsOf(DarkroomClient.prototype);
    expect(calls).toContain('generate');
    const missing = calls.filter((name) => !LEFT_OUT.has(name) && !new RegExp(`\`${name}[(<]`).test(table));
    expect(missing).toEqual([]);
  });
});

/** The methods of a class and of all that it extends. */
function callsOf(prototype: object): string[] {
  const parent = Object.getPrototypeOf(prototype) as object;
  const inherited = parent === Object.prototype ? [] : callsOf(parent);
  return [...Object.getOwnPropertyNames(prototype), ...inherited];
}
