import { z } from 'zod';
import { setPools } from '../accounts/credits.ts';
import { newWorkspace } from '../accounts/start-accounts.ts';
import { unknownName } from '../config/strict.ts';
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

/** Workspaces with their credits and limits, and the keys that act in them. */
export const ACCOUNT_ROUTES = [
  route('GET /workspaces', { handle: ({ service }) => service.accounts.workspaces().map(workspaceView) }),
  route('POST /workspaces', {
    body: z.strictObject({
      id: z.string().regex(/^[\w.-]{1,100}$/, 'must be letters, digits, _ . -'),
      name: z.string().optional(),
      credits: pools.optional(),
      rateLimit: rateLimit.optional(),
    }),
    handle: ({ service, body: { id, name, credits, rateLimit } }) => {
      if (service.accounts.workspace(id)) throw new ControlError(409, `The workspace ${id} exists already`);
      const workspace = newWorkspace(id, {
        rateLimit,
        ...(name === undefined ? {} : { name }),
        credits: { permanent: 0, subscription: 0 },
      });
      setPools(workspace.pools, credits ?? {});
      service.accounts.saveWorkspace(workspace);
      return workspaceView(workspace);
    },
  }),
  route('GET /workspaces/:id', {
    handle: ({ service, params: { id } }) =>
      workspaceView(existing(service.accounts.workspace(id ?? ''), 'workspace', id)),
  }),
  route('PATCH /workspaces/:id', {
    body: z.strictObject({ name: z.string().optional(), rateLimit: rateLimit.optional() }),
    handle: ({ service, params: { id }, body }) => {
      const workspace = existing(service.accounts.workspace(id ?? ''), 'workspace', id);
      if (body.name !== undefined) workspace.name = body.name;
      if (body.rateLimit !== undefined) {
        workspace.rateLimit = body.rateLimit;
        service.rateLimits.forget(workspace.id);
      }
      service.accounts.saveWorkspace(workspace);
      return workspaceView(workspace);
    },
  }),
  /** Sets what is given, leaves the rest. */
  route('PUT /workspaces/:id/credits', {
    body: pools,
    handle: ({ service, params: { id }, body }) => {
      const workspace = existing(service.accounts.workspace(id ?? ''), 'workspace', id);
      setPools(workspace.pools, body);
      service.accounts.saveWorkspace(workspace);
      return workspaceView(workspace);
    },
  }),
  route('POST /workspaces/:id/credits/top-up', {
    body: z.strictObject({ permanent: credits.default(0), subscription: credits.default(0) }),
    handle: ({ service, params: { id }, body }) => {
      const workspace = existing(service.accounts.workspace(id ?? ''), 'workspace', id);
      const { permanent, subscription } = workspace.pools;
      setPools(workspace.pools, {
        permanent: permanent + body.permanent,
        subscription: subscription + body.subscription,
      });
      service.accounts.saveWorkspace(workspace);
      return workspaceView(workspace);
    },
  }),

  route('GET /keys', { handle: ({ service }) => service.accounts.keys().map(keyView) }),
  /** The only time that a key's value is shown. */
  route('POST /keys', {
    body: z.strictObject({
      name: z.string().min(1),
      workspace: z.string(),
      otherWorkspaces: z.array(z.string()).optional(),
      scope: z.array(z.string()).optional(),
      value: z.string().min(8).optional(),
    }),
    handle: ({ service, body }) => {
      for (const id of [body.workspace, ...(body.otherWorkspaces ?? [])]) {
        existing(service.accounts.workspace(id), 'workspace', id);
      }
      const scopes = Object.values(service.assumptions.keyScopes);
      const unknown = body.scope?.find((scope) => !scopes.includes(scope));
      if (unknown !== undefined) throw new ControlError(422, `scope: ${unknownName(unknown, scopes)}`);
      if (body.value !== undefined && service.accounts.holdsKey(body.value)) {
        throw new ControlError(409, 'There is a key with this value');
      }
      const { key, value } = service.accounts.createKey(body);
      return { ...keyView(key), value };
    },
  }),
  /** Effective with the next request. */
  route('POST /keys/:id/revoke', {
    handle: ({ service, params: { id } }) => {
      const key = existing(service.accounts.key(id ?? ''), 'key', id);
      service.accounts.revokeKey(key);
      return keyView(key);
    },
  }),
];
