import { describe, expect, test } from 'vitest';
import { Accounts } from '../../../emulator/src/accounts/accounts.ts';
import { newWorkspace, startAccounts } from '../../../emulator/src/accounts/start-accounts.ts';
import { keeping } from './keeping.ts';

describe('a workspace', () => {
  test('begins with the usual credits and an owner of its own', () => {
    const before = Date.now();
    const workspace = newWorkspace('team a/x_y-1');
    const { subscriptionExpiresAt } = workspace.pools;
    expect(workspace).toEqual({
      id: 'team a/x_y-1',
      name: 'team a/x_y-1',
      owner: {
        id: 1,
        email: 'owner@team-a-x_y-1.example',
        name: 'Emulated Owner',
        avatar: '/files/avatar.png',
      },
      pools: { permanent: 1_000_000, subscription: 10_000, subscriptionExpiresAt },
      rateLimit: null,
    });
    const month = 2_592_000_000; // 30 days
    expect(subscriptionExpiresAt - month).toBeGreaterThanOrEqual(before);
    expect(subscriptionExpiresAt - month).toBeLessThanOrEqual(Date.now());
  });

  test('begins as it is told', () => {
    const rateLimit = { limit: 1, windowMs: 1000, retryAfter: 'none' } as const;
    const subscriptionExpiresAt = new Date(5000);
    const credits = { permanent: 1, subscription: 2, subscriptionExpiresAt };
    expect(newWorkspace('a', { name: 'Team A', credits, rateLimit })).toMatchObject({
      id: 'a',
      name: 'Team A',
      pools: { permanent: 1, subscription: 2, subscriptionExpiresAt: 5000 },
      rateLimit,
    });
  });

  test.each([
    [Number.MAX_SAFE_INTEGER - 5, 5],
    [Number.MAX_SAFE_INTEGER, 0],
  ])('with %d permanent credits has %d of the subscription: no more can be counted', (permanent, rest) => {
    expect(newWorkspace('a', { credits: { permanent } }).pools.subscription).toBe(rest);
  });
});

describe('the accounts of a start', () => {
  test.each([undefined, []])('are the default one where %j are wanted', (options) => {
    const accounts = new Accounts(keeping());
    const value = startAccounts(accounts, options, undefined);
    expect(value).toMatch(/^dk_local_[\w-]{24}$/);
    expect(accounts.workspaces().map(({ id }) => id)).toEqual(['default']);
    expect(accounts.authenticate(`Bearer ${value}`)).toMatchObject({
      name: 'made at the start',
      workspace: 'default',
      scope: [],
      otherWorkspaces: [],
    });
  });

  test('have keys of their own, and the first one that of an earlier start', () => {
    const accounts = new Accounts(keeping());
    const wanted = [
      { workspace: 'a', scope: ['read'] },
      { workspace: 'b', otherWorkspaces: ['a'] },
      { workspace: 'c', apiKey: 'its own' },
    ];
    expect(startAccounts(accounts, wanted, 'known')).toBe('known');
    expect(
      accounts.keys().map(({ workspace, scope, otherWorkspaces }) => [workspace, scope, otherWorkspaces]),
    ).toEqual([
      ['a', ['read'], []],
      ['b', [], ['a']],
      ['c', [], []],
    ]);
    expect(accounts.authenticate('Bearer known')?.workspace).toBe('a');
    expect(accounts.authenticate('Bearer its own')?.workspace).toBe('c');
  });

  test('that are there already stay as they are', () => {
    const kept = keeping();
    const first = new Accounts(kept);
    const value = startAccounts(first, [{ workspace: 'a' }], undefined);
    const keys = first.keys();
    first.saveWorkspace({ ...newWorkspace('a'), name: 'renamed' });
    const second = new Accounts(kept);
    expect(startAccounts(second, [{ workspace: 'a' }], value)).toBe(value);
    expect(second.keys()).toEqual(keys);
    expect(second.workspaces().map(({ name }) => name)).toEqual(['renamed']);
  });
});
