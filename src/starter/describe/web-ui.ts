import { SettingsReader } from '../../config/settings-reader.ts';
import { UI_URL } from '../../config/variables.ts';
import type { TemporalSettings } from '../../config/worker-config.ts';

const DEV_SERVER_UI = 'http://127.0.0.1:8233';
const CLOUD_UI = 'https://cloud.temporal.io';

/**
 * Where a workflow is seen in the Temporal Web UI. TEMPORAL_UI_URL says where that is; without it, Temporal
 * Cloud's for addresses there, and the dev server's usual address for servers on this machine. Undefined where
 * nobody can tell.
 */
export function webUiUrl(
  { address, namespace }: TemporalSettings,
  workflowId: string,
  env: NodeJS.ProcessEnv = process.env,
): string | undefined {
  const base = new SettingsReader(env).read(UI_URL) ?? knownUi(address);
  if (base === undefined) return undefined;
  return `${base}/namespaces/${encodeURIComponent(namespace)}/workflows/${encodeURIComponent(workflowId)}`;
}

function knownUi(address: string): string | undefined {
  const host = address.replace(/:\d+$/, '');
  if (/\.(tmprl\.cloud|temporal\.io)$/.test(host)) return CLOUD_UI;
  return ['localhost', '127.0.0.1', '[::1]'].includes(host) ? DEV_SERVER_UI : undefined;
}
