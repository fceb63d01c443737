import { createHash } from 'node:crypto';
import { canonicalJson } from '../../api/json/canonical-json.ts';
import type { Ordered } from '../../contract/generation.ts';
import { type Origins, withOutputNames } from '../../contract/purchases/origins.ts';
import { workspaceOf } from './same-step.ts';

interface Step extends Ordered {
  workspace?: string | undefined;
}

/**
 * What a generation is known by among those that a pipeline has started: two that make the same have a key in common.
 * By the URLs in its input, and by what these are, where that is known. Short, because a pipeline may have a thousand.
 */
export function stepKeys({ model, workspace, input, templateId }: Step, origins: Origins = {}): string[] {
  const inputs = Object.keys(origins).length === 0 ? [input] : [input, withOutputNames(input, origins)];
  return inputs.map((one) =>
    createHash('sha256')
      .update(canonicalJson([model, workspaceOf({ workspace }), one, templateId]))
      .digest('base64url'),
  );
}
