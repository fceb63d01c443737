import type { ModelOverrides } from '../../api/models/override.ts';
import { MODEL_IDS } from '../../api/models/registry.ts';
import { DEFAULT_WORKSPACE } from '../workflow-ids.ts';
import type { CheckDeps } from './check-generation.ts';

/** What a worker's configuration may allow is not refused by who does not know it. */
const UNKNOWN: ModelOverrides = Object.fromEntries(
  MODEL_IDS.map((id) => [id, { passUnknown: true, assumedRules: 'relax' }]),
);

/**
 * What a check is told that is to refuse only what every worker refuses, whatever its configuration.
 *
 * @param workspace that the request names
 */
export function anyWorker(workspace: unknown): CheckDeps {
  const name = typeof workspace === 'string' ? workspace : DEFAULT_WORKSPACE;
  return { models: UNKNOWN, policy: {}, workspaces: new Map([[name, {}]]) };
}
