import pLimit from 'p-limit';
import type { WorkspaceAccess } from '../activities/api-access.ts';
import type { MediaApi } from '../api/client/media-api.ts';
import { apiKeySetting } from '../config/worker-variables.ts';
import type { BalanceReading } from '../contract/tasks/submit-task.ts';
import { ownProgram } from '../package/own-command.ts';
import type { ReceiverLog } from '../webhooks/receiver-log.ts';

/** The API cannot be used as configured; the message names the setting. */
class PreflightFailed extends Error {
  override readonly name = 'PreflightFailed';
}

export interface PreflightOptions {
  api: MediaApi;
  apiUrl: string;
  workspaces: ReadonlyMap<string, WorkspaceAccess>;
  log: ReceiverLog;
  /** Whether the API has to answer now, for a program whose user waits for what it makes. */
  isStrict: boolean;
}

const TIMEOUT = 5_000;
/** Workspaces that are asked for at once. */
const AT_ONCE = 8;

const REFUSED_KEY: ReadonlySet<string> = new Set(['UNAUTHORIZED', 'WORKSPACE_FORBIDDEN', 'FORBIDDEN']);

/**
 * Asks the API for every workspace's balance once, so that a wrong address or key is found at the start and not
 * by the first generation. A worker that starts again while the API is away, or while one key of several is revoked, is
 * warned and starts: it has files to store, decisions to take and other workspaces' tasks to read.
 *
 * @returns the balances that were told, by workspace
 * @throws PreflightFailed when the API takes no key at all, which is a wrong configuration
 */
export async function preflight(options: PreflightOptions): Promise<Map<string, BalanceReading>> {
  const { api, apiUrl, workspaces, log, isStrict } = options;
  const limit = pLimit(AT_ONCE);
  const balances = new Map<string, BalanceReading>();
  const problems: Problem[] = [];
  await Promise.all(
    [...workspaces].map(([workspace, access]) =>
      limit(async () => {
        const answer = await api.getCredits(access, TIMEOUT);
        if (answer.kind === 'credits')
          balances.set(workspace, { available: answer.credits.available, at: Date.now() });
        else problems.push(problemOf(workspace, answer, apiUrl));
      }),
    ),
  );
  const refused = problems.filter(({ kind }) => kind === 'refused');
  const fatal = isStrict
    ? (refused[0] ?? problems.find(({ kind }) => kind === 'away'))
    : refused.length === workspaces.size
      ? refused[0]
      : undefined;
  if (fatal !== undefined) throw new PreflightFailed(`${fatal.what}\n  ${fatal.advice}`);
  for (const { workspace, code, what, advice } of once(problems))
    log.warn({ workspace, code }, `${what}; ${advice}`);
  return balances;
}

interface Problem {
  workspace: string;
  code: string;
  /** `refused`: the key; `away`: nothing answers; `unlike`: something answers, but not as the API does. */
  kind: 'refused' | 'away' | 'unlike';
  what: string;
  advice: string;
}

function problemOf(
  workspace: string,
  { code, reason }: { code: string; reason: string },
  apiUrl: string,
): Problem {
  if (REFUSED_KEY.has(code))
    return {
      workspace,
      code,
      kind: 'refused',
      what: `the media API refuses the key of workspace ${workspace} (${code})`,
      advice: `check ${apiKeySetting(workspace)}`,
    };
  if (code === 'NETWORK')
    return {
      workspace,
      code,
      kind: 'away',
      what: `the media API is not reachable: ${reason}`,
      advice: `DARKROOM_API_URL is ${apiUrl}; is it right, and is the service up? (${ownProgram('emulator')} starts one here)`,
    };
  return {
    workspace,
    code,
    kind: 'unlike',
    what: `what DARKROOM_API_URL names does not tell the credits as the media API does: ${reason}`,
    advice: `DARKROOM_API_URL is ${apiUrl}; is it the media API's, and is the service well?`,
  };
}

/** What is wrong with the API itself is said once, not for each workspace. */
function once(problems: readonly Problem[]): Problem[] {
  const told = new Map(
    problems.map((problem) => [problem.kind === 'refused' ? problem.workspace : problem.kind, problem]),
  );
  return [...told.values()];
}
