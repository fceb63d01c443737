import type { WorkspaceAccess } from '../activities/api-access.ts';
import type { MediaApi } from '../api/client/media-api.ts';
import { apiKeySetting } from '../config/worker-variables.ts';
import type { BalanceReading } from '../contract/submit-task.ts';
import { ownProgram } from '../package/own-command.ts';

/** The API cannot be used as configured; the message names the setting. */
export class PreflightFailed extends Error {
  override readonly name = 'PreflightFailed';
}

const TIMEOUT = 5_000;

/**
 * Asks the API for every workspace's balance once, so that a wrong address or key is found at the start and not
 * by the first generation. What says nothing about the configuration (5xx, 404) does not stop a start.
 *
 * @returns the balances that were told, by workspace
 * @throws PreflightFailed when nothing answers, or a key is refused
 */
export async function preflight(
  api: MediaApi,
  apiUrl: string,
  workspaces: ReadonlyMap<string, WorkspaceAccess>,
): Promise<Map<string, BalanceReading>> {
  const balances = new Map<string, BalanceReading>();
  for (const [name, { apiKey }] of workspaces) {
    const answer = await api.getCredits(apiKey, TIMEOUT);
    if (answer.kind === 'credits') {
      balances.set(name, { available: answer.credits.available, at: Date.now() });
      continue;
    }
    if (answer.code === 'NETWORK') {
      throw new PreflightFailed(
        `the media API is not reachable: ${answer.reason}\n` +
          `  DARKROOM_API_URL is ${apiUrl}; is it right, and is the service up? (${ownProgram('emulator')} starts one here)`,
      );
    }
    if (
      answer.code === 'UNAUTHORIZED' ||
      answer.code === 'WORKSPACE_FORBIDDEN' ||
      answer.code === 'FORBIDDEN'
    ) {
      throw new PreflightFailed(
        `the media API refuses the key of workspace ${name} (${answer.code})\n  check ${apiKeySetting(name)}`,
      );
    }
  }
  return balances;
}
