import type { WorkspaceAccess } from '../activities/api-access.ts';
import type { PlaceSettings } from '../activities/darkroom-check/check-place.ts';
import type { Config } from '../config/worker-config.ts';
import type { WorkspaceConfig } from '../config/workspaces.ts';
import { RECEIVER_DEFAULTS, type ReceiverConfig, type WorkspaceHook } from '../webhooks/receiver-config.ts';
import { idOfHeaders, idOfKey, idOfSecret } from '../webhooks/signature/secret-ids.ts';
import { parseSecret } from '../webhooks/signature/secrets.ts';

// What each part is given of the configuration.

export function workspaceAccess(config: Config): Map<string, WorkspaceAccess> {
  return ofEach(config, ({ apiKey, headers, webhookSecrets }) => ({
    apiKey,
    headers,
    takesWebhooks: webhookSecrets.length > 0,
  }));
}

/** By ids, so that people can compare what a program has with what another one has. */
export function placeSettings(config: Config): PlaceSettings {
  return {
    apiUrl: config.apiUrl,
    keyIds: ofEach(config, ({ apiKey }) => idOfKey(apiKey)),
    secretIds: ofEach(config, ({ webhookSecrets }) => webhookSecrets.map(idOfSecret)),
    headerIds: ofEach(config, ({ apiKey, headers = {} }) =>
      Object.keys(headers).length === 0 ? 'none' : idOfHeaders(headers, apiKey),
    ),
  };
}

export function receiverConfig(config: Config): ReceiverConfig {
  const workspaces = ofEach(
    config,
    ({ webhookSecrets, legacy, webhook }): WorkspaceHook => ({
      secrets: webhookSecrets.map((secret) => parseSecret(secret, webhook?.secrets)),
      legacy,
      ids: webhook?.ids,
      legacyHeaders: webhook?.legacyHeaders,
    }),
  );
  return { ...RECEIVER_DEFAULTS, ...config.webhook, workspaces };
}

function ofEach<T>({ workspaces }: Config, pick: (workspace: WorkspaceConfig) => T): Map<string, T> {
  return new Map([...workspaces].map(([name, workspace]) => [name, pick(workspace)]));
}
