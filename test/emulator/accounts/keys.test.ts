import { expect, test } from 'vitest';
import { Accounts } from '../../../emulator/src/accounts/accounts.ts';
import { newWorkspace } from '../../../emulator/src/accounts/start-accounts.ts';
import { keeping } from './keeping.ts';

test('a key is kept as a hash and a hint, is told, and survives a restart; so does its revocation', () => {
  const kept = keeping();
  const told: unknown[] = [];
  kept.changes.subscribe((change) => told.push(change));
  const accounts = new Accounts(kept);
  accounts.saveWorkspace(newWorkspace('a'));
  const { key, value } = accounts.createKey({ name: 'one', workspace: 'a', value: 'abc' });
  expect(value).toBe('abc');
  expect(key).toEqual({
    id: expect.any(String),
    name: 'one',
    hint: 'abc…',
    valueHash: 'ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0',
    workspace: 'a',
    otherWorkspaces: [],
    scope: [],
    createdAt: expect.any(Number),
    revokedAt: null,
  });
  const again = new Accounts(kept);
  expect([again.keys(), again.workspaces()]).toEqual([[key], [accounts.workspace('a')]]);
  expect(again.authenticate('Bearer abc')).toEqual(key);
  expect([accounts.holdsKey('abc'), accounts.holdsKey('abcd')]).toEqual([true, false]);
  accounts.revokeKey(key);
  const { revokedAt } = key;
  expect(accounts.authenticate('Bearer abc')).toBeUndefined();
  expect(new Accounts(kept).key(key.id)).toEqual({ ...key, revokedAt: expect.any(Number) });
  accounts.revokeKey(key);
  expect(key.revokedAt).toBe(revokedAt);
  expect(told).toEqual([
    { kind: 'workspace', id: 'a' },
    ...Array.from({ length: 3 }, () => ({ kind: 'key', id: key.id })),
  ]);
});

test('a hint shows the first characters of a value that nobody chose', () => {
  const { key, value } = new Accounts(keeping()).createKey({ name: 'one', workspace: 'a' });
  expect(value).toMatch(/^dk_local_[\w-]{24}$/);
  expect(key.hint).toBe(`${value.slice(0, 12)}…`);
});

test.each([
  ['Bearer abcdefghijklmnop', true],
  ['bEARER   abcdefghijklmnop  ', true],
  [undefined, false],
  ['abcdefghijklmnop', false],
  ['Digest abcdefghijklmnop', false],
  ['Xbearer abcdefghijklmnop', false],
  ['Bearer abcdefghijklmno', false],
])('the header %j is that of a key: %s', (authorization, known) => {
  const accounts = new Accounts(keeping());
  const { key } = accounts.createKey({ name: 'one', workspace: 'a', value: 'abcdefghijklmnop' });
  expect(key.hint).toBe('abcdefghijkl…');
  expect(accounts.authenticate(authorization)).toBe(known ? key : undefined);
});

test.each([
  [undefined, 'generate', 'a'],
  ['a', 'read', 'a'],
  ['b', 'read', 'b'],
  ['c', 'read', undefined],
  ['gone', 'read', undefined],
  ['a', 'credits', undefined],
])('named %j for %s, a request acts in %j', (named, scope, entered) => {
  const accounts = new Accounts(keeping());
  for (const id of ['a', 'b', 'c']) accounts.saveWorkspace(newWorkspace(id));
  const { key } = accounts.createKey({
    name: 'one',
    workspace: 'a',
    otherWorkspaces: ['b', 'gone'],
    scope: ['generate', 'read'],
  });
  expect(accounts.enter(key, named, scope)?.id).toBe(entered);
});
