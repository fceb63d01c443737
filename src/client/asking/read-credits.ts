import { MediaApi } from '../../api/client/media-api.ts';
import { loadConfig } from '../../config/worker-config.ts';
import { ApiUnavailable } from '../failures/api-unavailable.ts';
import { endsOf, until } from '../following/ends-of.ts';
import type { CallOptions } from '../options.ts';

/** The balance of a workspace. */
export interface Credits {
  workspace: string;
  available: number;
  subscription: number;
  permanent: number;
  /** ISO 8601. */
  subscription_expires_at?: string | null | undefined;
}

/** Milliseconds for the API's answer. */
const PATIENCE = 15_000;

/**
 * Asks the media API for the balance of a workspace, with the key that a worker would use.
 *
 * @throws ConfigError where the environment has no key; RangeError for a workspace that is not configured; ApiUnavailable
 */
export async function readCredits(
  env: NodeJS.ProcessEnv,
  workspace: string,
  options: CallOptions = {},
): Promise<Credits> {
  const { apiUrl, workspaces } = loadConfig(env);
  const access = workspaces.get(workspace);
  if (access === undefined)
    throw new RangeError(
      `workspace ${workspace} is not configured; known: ${[...workspaces.keys()].join(', ')}`,
    );
  const ends = endsOf(options);
  const api = new MediaApi(apiUrl);
  try {
    const answer = await until(ends, api.getCredits(access, PATIENCE));
    if (answer.kind === 'unavailable') throw new ApiUnavailable(answer, apiUrl, workspace);
    return { workspace, ...answer.credits };
  } finally {
    await api.close();
  }
}
