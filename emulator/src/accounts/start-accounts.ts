import type { AccountOption } from '../options.ts';
import { type Accounts, newKeyValue, type Workspace } from './accounts.ts';
import { setPools } from './credits.ts';

const DAY = 24 * 60 * 60 * 1000;

/** Plenty: a thousand images from the subscription, then more from the permanent pool. */
const DEFAULT_CREDITS = { permanent: 1_000_000, subscription: 10_000 } as const;
export const DEFAULT_WORKSPACE = 'default';

/** A workspace as it begins. Its owner is made up: events carry one. @throws BalanceError */
export function newWorkspace(
  id: string,
  about: Omit<AccountOption, 'workspace'> & { name?: string | undefined } = {},
): Workspace {
  const { permanent = DEFAULT_CREDITS.permanent, subscription, subscriptionExpiresAt } = about.credits ?? {};
  const pools = { permanent: 0, subscription: 0, subscriptionExpiresAt: Date.now() + 30 * DAY };
  setPools(pools, {
    permanent,
    // The usual ones must not be what is too much.
    subscription:
      subscription ??
      Math.max(0, Math.min(DEFAULT_CREDITS.subscription, Number.MAX_SAFE_INTEGER - permanent)),
    subscriptionExpiresAt: subscriptionExpiresAt?.getTime(),
  });
  return {
    id,
    name: about.name ?? id,
    owner: {
      id: 1,
      email: `owner@${id.replaceAll(/[^\w-]/g, '-')}.example`,
      name: 'Emulated Owner',
      avatar: '/files/avatar.png',
    },
    pools,
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
