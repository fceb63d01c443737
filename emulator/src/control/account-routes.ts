import { z } from 'zod';
import type { Workspace } from '../accounts/accounts.ts';
import { setPools } from '../accounts/credits.ts';
import { newWorkspace } from '../accounts/start-accounts.ts';
import { unknownName } from '../config/strict.ts';
import type { Service } from '../service.ts';
import { ControlError, existing, route } from './route.ts';
import { keyView, workspaceView } from './views.ts';

const credits = z.int().min(0);

const pools = z.strictObject({
  permanent: credits.optional(),
  subscription: credits.optional(),
  subscriptionExpiresAt: z.iso
    .datetime({ offset: true })
    .transform((text) => Date.parse(text))
    .optional(),
});

const rateLimit = z
  .strictObject({
    limit: z.int().min(1),
    windowMs: z.int().min(1),
    burst: z.int().min(1).optional(),
    retryAfter: z.enum(['seconds', 'date', 'none']).default('seconds'),
  })
  .nullable();

const newWorkspaceSchema = z.strictObject({
  id: z.string().regex(/^[\w.-]{1,100}$/, 'must be letters, digits, _ . -'),
  name: z.string().optional(),
  credits: pools.optional(),
  rateLimit: rateLimit.optional(),
});

const newKey = z.strictObject({
  name: z.string().min(1),
  workspace: z.string(),
  otherWorkspaces: z.array(z.string()).optional(),
  scope: z.array(z.string()).optional(),
  value: z.string().min(8).optional(),
});

/** Workspaces with their credits and limits, and the keys that act in them. */
export const ACCOUNT_ROUTES = [
  route('GET /workspaces', {}, ({ service }) => service.accounts.workspaces().map(workspaceView)),
  route('POST /workspaces', { body: newWorkspaceSchema }, ({ service, body }) => {
    const { id, name, credits = {}, rateLimit } = body;
    if (service.accounts.workspace(id)) throw new ControlError(409, `The workspace ${id} exists already`);
    const workspace = newWorkspace(id, { name, rateLimit, credits: { permanent: 0, subscription: 0 } });
    setPools(workspace.pools, credits);
    return saved(service, workspace);
  }),
  route('GET /workspaces/:id', {}, ({ service, params }) => workspaceView(workspaceOf(service, params.id))),
  route(
    'PATCH /workspaces/:id',
    { body: z.strictObject({ name: z.string().optional(), rateLimit: rateLimit.optional() }) },
    ({ service, params, body: { name, rateLimit } }) => {
      const workspace = workspaceOf(service, params.id);
      workspace.name = name ?? workspace.name;
      if (rateLimit !== undefined) {
        workspace.rateLimit = rateLimit;
        service.rateLimits.forget(workspace.id);
      }
      return saved(service, workspace);
    },
  ),
  /** Sets what is given, leaves the rest. */
  route('PUT /workspaces/:id/credits', { body: pools }, ({ service, params, body }) => {
    const workspace = workspaceOf(service, params.id);
    setPools(workspace.pools, body);
    return saved(service, workspace);
  }),
  route(
    'POST /workspaces/:id/credits/top-up',
    { body: z.strictObject({ permanent: credits.default(0), subscription: credits.default(0) }) },
    ({ service, params, body }) => {
      const workspace = workspaceOf(service, params.id);
      const { permanent, subscription } = workspace.pools;
      setPools(workspace.pools, {
        permanent: permanent + body.permanent,
        subscription: subscription + body.subscription,
      });
      return saved(service, workspace);
    },
  ),

  route('GET /keys', {}, ({ service }) => service.accounts.keys().map(keyView)),
  /** The only time that a key's value is shown. */
  route('POST /keys', { body: newKey }, ({ service: { accounts, assumptions }, body }) => {
    for (const id of [body.workspace, ...(body.otherWorkspaces ?? [])]) {
      existing(accounts.workspace(id), 'workspace', id);
    }
    const scopes = Object.values(assumptions.keyScopes);
    const unknown = body.scope?.find((scope) => !scopes.includes(scope));
    if (unknown !== undefined) throw new ControlError(422, `scope: ${unknownName(unknown, scopes)}`);
    if (body.value !== undefined && accounts.holdsKey(body.value)) {
      throw new ControlError(409, 'There is a key with this value');
    }
    const { key, value } = accounts.createKey(body);
    return { ...keyView(key), value };
  }),
  /** Effective with the next request. */
  route('POST /keys/:id/revoke', {}, ({ service: { accounts }, params: { id } }) => {
    const key = existing(accounts.key(id), 'key', id);
    accounts.revokeKey(key);
    return keyView(key);
  }),
];

function workspaceOf({ accounts }: Service, id: string): Workspace {
  return existing(accounts.workspace(id), 'workspace', id);
}

function saved({ accounts }: Service, workspace: Workspace) {
  accounts.saveWorkspace(workspace);
  return workspaceView(workspace);
}
