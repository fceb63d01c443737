import { makeContinueAsNewFunc, patched, type Workflow, workflowInfo } from '@temporalio/workflow';

const DECIDED = 'to go on as another run';

/**
 * Whether a run is to go on in a new one, by what the server tells of its history and version. It is written down once it is
 * so: where a local activity takes so long that its workflow task is prolonged, a replay shows what was told with the last
 * prolongation already at its beginning (SDK 1.x), and would take another way.
 */
export function decided(isDue: boolean): boolean {
  return isDue && patched(DECIDED);
}

/** Whether a run is to go on in a new one because its history has become long: the server ends one with 51,200 events. */
export function isLong(mostEvents: number): boolean {
  const { continueAsNewSuggested, historyLength } = workflowInfo();
  return decided(continueAsNewSuggested || historyLength > mostEvents);
}

/**
 * Whether a run that is pinned to its worker's version is to go on in a new one because another version is current by
 * now. For runs that may wait for days: without it a version would not drain before the last person has answered.
 */
export function isOutdated(): boolean {
  return decided(workflowInfo().targetWorkerDeploymentVersionChanged);
}

/** Goes on in a new run, with the code of the version that is current by then. */
export async function goOn<F extends Workflow>(...args: Parameters<F>): Promise<never> {
  const options = isOutdated() ? { initialVersioningBehavior: 'AUTO_UPGRADE' as const } : {};
  return await makeContinueAsNewFunc<F>(options)(...args);
}
