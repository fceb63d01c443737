import { describe, expect, it } from 'vitest';
import { checkGenerationRequest } from '../../../src/contract/checks/check-generation.ts';
import { checkPipelineRequest } from '../../../src/contract/checks/check-pipeline.ts';

const deps = {
  models: {},
  policy: {},
  workspaces: new Map([
    ['default', { takesWebhooks: true }],
    ['deaf', { takesWebhooks: false }],
  ]),
};
const image = { model: 'image-l', input: { prompt: 'a lighthouse at dawn' } };
const RESUBMIT = { reconcile: { otherwise: 'resubmit' } };

const paths = (check: { ok: boolean; errors?: { path: string; message: string }[] }): string[] =>
  (check.errors ?? []).map(({ path }) => path);

describe('buying again without evidence, in a workspace to which nothing tells of its tasks,', () => {
  it('is refused for a generation, and taken where there are webhooks', () => {
    const check = checkGenerationRequest({ ...image, workspace: 'deaf', policy: RESUBMIT }, deps);
    expect(check).toMatchObject({
      ok: false,
      errors: [{ path: 'policy.reconcile.otherwise', message: expect.stringContaining('no webhook secret') }],
    });
    expect(checkGenerationRequest({ ...image, workspace: 'deaf' }, deps).ok).toBe(true);
    expect(checkGenerationRequest({ ...image, policy: RESUBMIT }, deps).ok).toBe(true);
  });

  it('is refused where the configuration asks for it, unless the request does not', () => {
    const configured = { ...deps, policy: RESUBMIT };
    const request = { ...image, workspace: 'deaf' };
    expect(paths(checkGenerationRequest(request, configured))).toEqual(['policy.reconcile.otherwise']);
    const asks = { ...request, policy: { reconcile: { otherwise: 'ask' } } };
    expect(checkGenerationRequest(asks, configured).ok).toBe(true);
  });

  it('is refused for a pipeline and for each of its steps', () => {
    const steps = { still: image, other: { ...image, policy: RESUBMIT } };
    expect(paths(checkPipelineRequest({ steps, workspace: 'deaf', policy: RESUBMIT }, deps))).toEqual([
      'policy.reconcile.otherwise',
      'steps.other.policy.reconcile.otherwise',
    ]);
    expect(checkPipelineRequest({ steps, policy: RESUBMIT }, deps).ok).toBe(true);
  });
});
