import { closest } from '../api/text/closest.ts';
import { shownName } from '../api/text/shown.ts';
import { withoutWebhooks } from '../contract/checks/check-generation.ts';
import { DEFAULT_WORKSPACE } from '../contract/workflow-ids.ts';
import type { Cap } from '../policy/caps.ts';
import { parsePolicy } from '../policy/parse-policy.ts';
import { DEFAULT_POLICY } from '../policy/policy.ts';
import { isSameSecret } from '../webhooks/signature/secrets.ts';
import type { Problem } from './config-error.ts';
import { type ConfigFile, fileExample } from './config-file.ts';
import type { FileWorkspace, WebhookRules } from './file-workspaces.ts';
import type { SettingsReader } from './settings-reader.ts';
import { CONFIG_FILE } from './variables.ts';
import { API_KEY, WEBHOOK_SECRET, whatIsWrongWithSecret } from './worker-variables.ts';

export interface WorkspaceConfig {
  /** Empty where it is missing, and the API is not called. */
  apiKey: string;
  /** Sent with each request to the API. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** All that are active, as they were written; checked. Without any, webhooks are refused and polling settles. */
  webhookSecrets: string[];
  /** Whether deliveries with nothing but the legacy headers are accepted. */
  legacy: 'refuse' | 'accept';
  /** Other rules for deliveries than the strict ones. */
  webhook?: WebhookRules | undefined;
}

/**
 * The workspaces of the file, and the one that the variables describe: those win, field by field. What is wrong is
 * left to the reader to tell.
 *
 * @param needKeys each needs an API key
 */
export function readWorkspaces(
  reader: SettingsReader,
  file: ConfigFile,
  needKeys: boolean,
): Map<string, WorkspaceConfig> {
  const merged = new Map(file.workspaces);
  const inFile = merged.get(DEFAULT_WORKSPACE);
  const apiKey = reader.read(API_KEY);
  const webhookSecrets = readSecrets(reader, inFile?.webhook);
  const hasDefault = reader.text(API_KEY.name) !== undefined || webhookSecrets !== undefined;
  if (hasDefault || merged.size === 0) {
    merged.set(DEFAULT_WORKSPACE, {
      apiKey: apiKey ?? inFile?.apiKey,
      headers: inFile?.headers,
      webhookSecrets: webhookSecrets ?? inFile?.webhookSecrets,
      legacy: inFile?.legacy,
      webhook: inFile?.webhook,
    });
  }
  reader.problems.push(...findShared(merged));
  const workspaces = new Map<string, WorkspaceConfig>();
  for (const [name, { apiKey, headers, webhookSecrets = [], legacy = 'refuse', webhook }] of merged) {
    if (apiKey === undefined && needKeys) reader.problems.push(...missingKey(reader, name));
    const more = { ...(headers && { headers }), ...(webhook && { webhook }) };
    workspaces.set(name, { apiKey: apiKey ?? '', webhookSecrets, legacy, ...more });
  }
  return workspaces;
}

/** The file's policy is every workspace's: none may buy blindly. */
export function blindPolicies(policy: unknown, workspaces: ReadonlyMap<string, WorkspaceConfig>): Problem[] {
  const { reconcile } = parsePolicy(policy, DEFAULT_POLICY).policy;
  if (reconcile.otherwise !== 'resubmit') return [];
  return [...workspaces]
    .filter(([, { webhookSecrets }]) => webhookSecrets.length === 0)
    .map(([name]) => ({
      setting: CONFIG_FILE.name,
      wrong: `policy.reconcile.otherwise ${withoutWebhooks(name)}`,
      example: fileExample('policy'),
    }));
}

/** A cap of a workspace that there is not counts nothing, and so limits nothing. */
export function idleCaps(caps: readonly Cap[], workspaces: ReadonlyMap<string, WorkspaceConfig>): Problem[] {
  return caps.flatMap(({ workspace }, index) => {
    if (workspace === undefined || workspaces.has(workspace)) return [];
    const names = [...workspaces.keys()];
    const meant = closest(workspace, names);
    const hint = meant === undefined ? `; known: ${names.join(', ')}` : ` (did you mean ${meant}?)`;
    return {
      setting: CONFIG_FILE.name,
      wrong: `caps.${index}.workspace ${shownName(workspace)} is not configured${hint}`,
      example: fileExample('caps'),
    };
  });
}

/** The default workspace's secrets from the environment; its rules stand in the file. */
function readSecrets(reader: SettingsReader, rules: WebhookRules | undefined): string[] | undefined {
  const secrets = reader.read(WEBHOOK_SECRET);
  if (secrets === undefined) return undefined;
  for (const [index, secret] of secrets.entries()) {
    const wrong = whatIsWrongWithSecret(secret, DEFAULT_WORKSPACE, rules);
    if (wrong === undefined) continue;
    const { length } = secrets;
    reader.problems.push({
      setting: WEBHOOK_SECRET.name,
      wrong: length === 1 ? wrong : `has ${length} secrets, of which number ${index + 1} ${wrong}`,
      example: WEBHOOK_SECRET.example,
    });
    return undefined;
  }
  return secrets;
}

/**
 * Workspaces are walls. With a key or a secret of two, whoever has the one workspace's speaks for the other, and
 * nobody can tell whose tasks are whose: unless each request says by its headers which one it is for.
 */
function findShared(workspaces: ReadonlyMap<string, FileWorkspace>): Problem[] {
  const all = [...workspaces];
  return all.flatMap(([name, one], index) =>
    all.slice(index + 1).flatMap(([other, two]) => {
      const shared = [
        one.apiKey !== undefined && one.apiKey === two.apiKey && !isToldApart(one, two) ? 'apiKey' : [],
        one.webhookSecrets?.some((secret) => two.webhookSecrets?.some((same) => isSameSecret(secret, same)))
          ? 'webhook secret'
          : [],
      ].flat();
      return shared.map((what) => ({
        setting: CONFIG_FILE.name,
        wrong: `has the same ${what} for workspaces.${name} and workspaces.${other}; each needs one of its own${fromEnvironment(name, other)}`,
        example: fileExample('workspaces'),
      }));
    }),
  );
}

/** Whether the requests for both have a header in common, with another value each. */
function isToldApart({ headers: one = {} }: FileWorkspace, { headers: two = {} }: FileWorkspace): boolean {
  return Object.entries(one).some(([name, value]) => two[name] !== undefined && two[name] !== value);
}

function fromEnvironment(...names: string[]): string {
  return names.includes(DEFAULT_WORKSPACE)
    ? ` (${API_KEY.name} and ${WEBHOOK_SECRET.name} are those of ${DEFAULT_WORKSPACE})`
    : '';
}

function missingKey(reader: SettingsReader, workspace: string): Problem[] {
  if (workspace !== DEFAULT_WORKSPACE) {
    return [
      {
        setting: CONFIG_FILE.name,
        wrong: `workspaces.${workspace} has no apiKey`,
        example: fileExample('workspaces'),
      },
    ];
  }
  const { name, example } = API_KEY;
  // A wrong key is reported already; and in a file that could not be read there may be one.
  const reported = reader.problems.some(({ setting }) => setting.startsWith(CONFIG_FILE.name));
  if (reported || reader.text(name) !== undefined) return [];
  return [{ setting: name, wrong: 'is not set', example }];
}
