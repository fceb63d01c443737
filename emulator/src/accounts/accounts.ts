import { hash, randomBytes, randomUUID } from 'node:crypto';
import { Collection, type Keeping } from '../storage/collection.ts';
import type { Pools } from './credits.ts';
import type { RateLimit } from './rate-limits.ts';

export interface Owner {
  id: number;
  email: string;
  name: string;
  avatar: string;
}

export interface Workspace {
  id: string;
  name: string;
  owner: Owner;
  pools: Pools;
  /** Of submits; null: unlimited. */
  rateLimit: RateLimit | null;
}

export interface ApiKey {
  id: string;
  name: string;
  /** First characters, to tell keys apart: the value itself is shown once, at creation. */
  hint: string;
  valueHash: string;
  /** The workspace that the key acts in. */
  workspace: string;
  /** Further workspaces that it may act in when the request names one. */
  otherWorkspaces: string[];
  /** Names of operations that it may do (the assumption `keyScopes`); empty: everything. */
  scope: string[];
  createdAt: number;
  revokedAt: number | null;
}

export interface NewKey {
  name: string;
  workspace: string;
  otherWorkspaces?: readonly string[] | undefined;
  scope?: readonly string[] | undefined;
  /** Default: a random one. */
  value?: string | undefined;
}

/** Workspaces and the keys that may act in them. */
export class Accounts {
  readonly #workspaces: Collection<Workspace>;
  readonly #keys: Collection<ApiKey>;
  readonly #byHash = new Map<string, ApiKey>();

  constructor(keeping: Keeping) {
    this.#workspaces = new Collection(keeping, 'workspaces', 'workspace');
    this.#keys = new Collection(keeping, 'keys', 'key');
    for (const key of this.#keys.values()) this.#byHash.set(key.valueHash, key);
  }

  workspaces(): Workspace[] {
    return this.#workspaces.all();
  }

  workspace(id: string): Workspace | undefined {
    return this.#workspaces.get(id);
  }

  /** Stores a new workspace, or the changes made to one. */
  saveWorkspace(workspace: Workspace): void {
    this.#workspaces.save(workspace);
  }

  keys(): ApiKey[] {
    return this.#keys.all();
  }

  key(id: string): ApiKey | undefined {
    return this.#keys.get(id);
  }

  /** @returns the key and its value, which cannot be had again */
  createKey(wanted: NewKey): { key: ApiKey; value: string } {
    const value = wanted.value ?? newKeyValue();
    const key: ApiKey = {
      id: randomUUID(),
      name: wanted.name,
      hint: `${value.slice(0, 12)}…`,
      valueHash: hashOf(value),
      workspace: wanted.workspace,
      otherWorkspaces: [...(wanted.otherWorkspaces ?? [])],
      scope: [...(wanted.scope ?? [])],
      createdAt: Date.now(),
      revokedAt: null,
    };
    this.#byHash.set(key.valueHash, key);
    this.#keys.save(key);
    return { key, value };
  }

  /** Takes effect with the next request. */
  revokeKey(key: ApiKey): void {
    key.revokedAt ??= Date.now();
    this.#keys.save(key);
  }

  holdsKey(value: string): boolean {
    return this.#byHash.has(hashOf(value));
  }

  /** The key of an `Authorization: Bearer …` header, unless it is missing, unknown or revoked. */
  authenticate(authorization: string | undefined): ApiKey | undefined {
    if (authorization === undefined || !/^bearer /i.test(authorization)) return undefined;
    const key = this.#byHash.get(hashOf(authorization.slice('bearer '.length).trim()));
    return key?.revokedAt === null ? key : undefined;
  }

  /**
   * The workspace that a request acts in: the one it names, else the key's own. Undefined: the key may not use
   * it, or its scope does not cover the operation.
   */
  enter(key: ApiKey, named: string | undefined, scope: string): Workspace | undefined {
    if (key.scope.length > 0 && !key.scope.includes(scope)) return undefined;
    const id = named ?? key.workspace;
    return this.mayUse(key, id) ? this.#workspaces.get(id) : undefined;
  }

  mayUse(key: ApiKey, workspace: string): boolean {
    return key.workspace === workspace || key.otherWorkspaces.includes(workspace);
  }
}

export function newKeyValue(): string {
  return `dk_local_${randomBytes(18).toString('base64url')}`;
}

function hashOf(value: string): string {
  return hash('sha256', value, 'base64url');
}
