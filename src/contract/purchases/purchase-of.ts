import { isRecord } from '../../api/json/is-record.ts';
import { DEFAULT_WORKSPACE } from '../workflow-ids.ts';

/** What makes two requests the same purchase; policies (a step's, too), tags and budget may differ. */
const IDENTITY: Record<'generation' | 'pipeline', readonly string[]> = {
  generation: ['model', 'input', 'workspace', 'templateId'],
  pipeline: ['steps', 'params', 'workspace'],
};

/** What a request buys: equal values are the same purchase. */
export function purchaseOf(kind: 'generation' | 'pipeline', request: unknown): Record<string, unknown> {
  const given = isRecord(request) ? request : {};
  const fields = { ...given, workspace: given['workspace'] ?? DEFAULT_WORKSPACE };
  const kept = Object.entries(withoutPolicies(fields)).filter(([name]) => IDENTITY[kind].includes(name));
  return Object.fromEntries(kept);
}

function withoutPolicies(fields: Record<string, unknown>): Record<string, unknown> {
  const { steps } = fields;
  if (!isRecord(steps)) return fields;
  const kept = Object.entries(steps).map(([id, step]) => {
    if (!isRecord(step)) return [id, step];
    const { policy: _, ...rest } = step;
    return [id, rest];
  });
  return { ...fields, steps: Object.fromEntries(kept) as unknown };
}
