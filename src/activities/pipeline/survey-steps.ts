import { Context } from '@temporalio/activity';
import { MOST_GENERATIONS } from '../../contract/limits.ts';
import { pathOfGeneration } from '../../contract/steps/step-ids.ts';
import { MAY_BE_MORE, type StepSurvey } from '../../contract/steps/step-look.ts';
import { describeRun } from '../../temporal/describe-run.ts';
import { originsOf } from '../../temporal/reuse/same-step.ts';
import type { ActivityDeps } from '../deps.ts';
import { goesOn } from '../goes-on.ts';

/** So many are asked about at the same time. */
const AT_ONCE = 20;

type Found = [path: string, each: string | null];

/**
 * What there is of the generations that earlier runs of a pipeline may have started. The items of a fan-out are asked
 * for by their indexes, until as many as are asked for at once are not there: a run starts them in order. Those that the
 * server has deleted are told of by the histories of the pipeline that asks.
 *
 * @returns by path, in order: what an item of a fan-out was started for, where that is known
 */
export async function surveySteps(
  { temporal: client, children }: Pick<ActivityDeps, 'temporal' | 'children'>,
  { pipelineId, steps }: StepSurvey,
): Promise<Found[]> {
  const look = async (path: string): Promise<Found[]> => {
    const run = await describeRun(client, `${pipelineId}/${path}`);
    goesOn();
    if (run === undefined) return [];
    const each = Object.values(originsOf(run.memo)).find(({ reference }) => reference.kind === 'each');
    return [[path, each?.outputs[0] ?? null]];
  };
  const found: Found[] = [];
  const plain = steps.filter(({ isFannedOut }) => !isFannedOut).map(({ name }) => name);
  for (let at = 0; at < plain.length; at += AT_ONCE)
    found.push(...(await Promise.all(plain.slice(at, at + AT_ONCE).map(look))).flat());
  for (const { name } of steps.filter(({ isFannedOut }) => isFannedOut)) {
    for (let at = 0; at < MOST_GENERATIONS; at += AT_ONCE) {
      const paths = Array.from({ length: AT_ONCE }, (_, index) => `${name}/${at + index}`);
      const some = (await Promise.all(paths.map(look))).flat();
      if (some.length === 0) break;
      found.push(...some);
    }
  }
  const { runId = '' } = Context.current().info.workflowExecution ?? {};
  const known = new Set(found.map(([path]) => path));
  const parent = { workflowId: pipelineId, runId };
  const earlier = await children.startedBy(parent, goesOn);
  if (earlier.missing !== undefined) found.push([MAY_BE_MORE, null]);
  for (const [id, child] of earlier.children) {
    const path = pathOfGeneration(pipelineId, id);
    if (known.has(path)) continue;
    known.add(path);
    found.push([path, child.each]);
  }
  return found;
}
