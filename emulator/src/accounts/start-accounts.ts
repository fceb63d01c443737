import type { AccountOption } from '../options.ts';
import { type Accounts, newKeyValue, type Workspace } from './accounts.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Plenty: a thousand images from the subscription, then more from the permanent pool. */
const DEFAULT_CREDITS = { permanent: 1_000_000, subscription: 10_000 } as const;
export const DEFAULT_WORKSPACE = 'default';

/** A workspace as it begins. Its owner is made up: events carry one. */
export function newWorkspace(
  id: string,
  about: Omit<AccountOption, 'workspace'> & { name?: string } = {},
): Workspace {
  return {
    id,
    name: about.name ?? id,
    owner: {
      id: 1,
      email: `owner@${id.replaceAll(/[^\w-]/g, '-')}.example`,
      name: 'Emulated Owner',
      avatar: '/files/avatar.png',
    },
    pools: {
      permanent: about.credits?.permanent ?? DEFAULT_CREDITS.permanent,
      subscription: about.credits?.subscription ?? DEFAULT_CREDITS.subscription,
      subscriptionExpiresAt: about.credits?.subscriptionExpiresAt?.getTime() ?? Date.now() + 30 * DAY,
    },
    rateLimit: about.rateLimit ?? null,
  };
}

/**
 * Makes the accounts that an emulator starts with; those that a database already holds stay as they are.
 *
 * @param knownKey the first account's key from an earlier start, where none is given
 * @returns the first account's key
 */
export function startAccounts(
  accounts: Accounts,
  options: readonly AccountOption[] | undefined,
  knownKey: string | undefined,
): string {
  const wanted = options === undefined || options.length === 0 ? [{ workspace: DEFAULT_WORKSPACE }] : options;
  const keys = wanted.map((account: AccountOption, index) => {
    if (accounts.workspace(account.workspace) === undefined) {
      accounts.saveWorkspace(newWorkspace(account.workspace, account));
    }
    const value = account.apiKey ?? (index === 0 ? knownKey : undefined) ?? newKeyValue();
    if (!accounts.holdsKey(value)) {
      const { workspace, scope, otherWorkspaces } = account;
      accounts.createKey({ name: 'made at the start', workspace, scope, otherWorkspaces, value });
    }
    return value;
  });
  return keys[0] ?? '';
}
