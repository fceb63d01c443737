import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, type WorkflowBundleWithSourceMap } from '@temporalio/worker';

/** Bundles the workflows as the worker runs them; takes about two seconds. */
export async function bundleWorkflows(): Promise<WorkflowBundleWithSourceMap> {
  return await bundleWorkflowCode({
    workflowsPath: fileURLToPath(new URL('../workflows/index.ts', import.meta.url)),
    payloadConverterPath: fileURLToPath(new URL('../workflows/payload-converter.ts', import.meta.url)),
    logger: new DefaultLogger('ERROR'),
  });
}
