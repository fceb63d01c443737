import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';
import { CODE, IS_BUILT } from '../package/built.ts';

/** Every workflow of ours: what a bundle is made of. */
export const WORKFLOWS = fileURLToPath(new URL(`../workflows/index${CODE}`, import.meta.url));

/**
 * The workflows as the worker runs them: the published package holds the bundle, in a clone it is made at each start
 * (about two seconds).
 */
export async function workflowBundle(): Promise<WorkflowBundleWithSourceMap | { codePath: string }> {
  return IS_BUILT
    ? { codePath: fileURLToPath(new URL('../workflow-bundle.js', import.meta.url)) }
    : await makeWorkflowBundle();
}

/** Bundles the workflows; takes about two seconds. */
export async function makeWorkflowBundle(): Promise<WorkflowBundleWithSourceMap> {
  return await bundleWorkflowCode({ workflowsPath: WORKFLOWS, logger: new DefaultLogger('ERROR') });
}
