import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ALERTS } from '../../tools/observe/alerts.ts';
import { openStarterWorld, type StarterWorld } from '../starter/starter-world.ts';
import { wordsOf } from './pages.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

const TEXT = readFileSync(new URL('../../docs/operations.md', import.meta.url), 'utf8');

/** What an alert's page has one type: what stands in code, but names of fields. */
function commandsOf(alert: string): string[] {
  const [, page = ''] = TEXT.split(new RegExp(`^### ${alert}$`, 'm'));
  const [text = ''] = page.split(/^#/m);
  return [...text.matchAll(/`([a-z]+(?: [^`]*)?)`/g)].flatMap(([, command]) => command ?? []);
}

it.for(ALERTS)('the page of $name has commands that work', async ({ name, expression }) => {
  const commands = commandsOf(name);
  expect(commands).not.toEqual([]);
  // Of an alert about a state the page shows those runs.
  const states = [...expression.matchAll(/state=~"([^"]*)"/g)].map(([, state]) => `list --state "${state}"`);
  expect(commands).toEqual(expect.arrayContaining(states));
  const { url } = world.emulator.service().endpoints.all()[0] ?? {};
  for (const command of commands) {
    const { code, stderr } = await world.runHere(...wordsOf(command, { 'public address': [url ?? ''] }));
    // 2: it was asked for in a wrong way. doctor may find something wrong with a world of tests.
    expect({ command, code, stderr }).toEqual({ command, code: expect.toBeOneOf([0, 1]), stderr: '' });
  }
});
