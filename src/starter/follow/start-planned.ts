import { planPipeline } from '../../client/plan/plan-pipeline.ts';
import { isTaken, NOTHING } from '../../client/plan/plan-start.ts';
import { workflowIdOf } from '../../client/workflow-id.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { printable } from '../../terminal/printable.ts';
import type { Answer } from '../answer.ts';
import { describePlan } from '../describe/describe-plan.ts';
import { checkPipeline } from '../request/check-request.ts';
import type { Session } from '../session.ts';
import { answerOf, detached } from './answer-of.ts';
import { mayGoOnWithout } from './interruption.ts';

interface Planned {
  /** The pipeline's key; random when absent. */
  key?: string | undefined;
  timeout?: number | undefined;
  /** Only the plan is told. */
  dryRun?: true | undefined;
  out?: string | undefined;
  callback?: string | undefined;
  /** It is not waited for. */
  detach?: true | undefined;
}

/**
 * Says what a pipeline will buy and what it will reuse, and then runs it, unless only that was asked for.
 *
 * @throws RequestRefused, KeyInUseError, PipelineFailedError; StillRunning when the time is over
 */
export async function startPlanned(
  session: Session,
  given: PipelineRequest,
  { key, timeout, dryRun, out, callback, detach }: Planned,
): Promise<Answer> {
  const { config, temporal, darkroom, files } = session;
  checkPipeline(given, config);
  const request = await files.sent(given, undefined);
  const isThere = key !== undefined && (await isTaken(temporal, workflowIdOf('pipeline', key)));
  const plan = isThere ? NOTHING : await planPipeline(temporal, request);
  const text = isThere
    ? `${workflowIdOf('pipeline', key)} exists already: nothing new is bought`
    : describePlan(plan, request);
  if (dryRun === true) return { json: plan, text };
  if (!isThere) process.stderr.write(`${printable(text)}\n`);
  const workflowId = workflowIdOf('pipeline', key);
  mayGoOnWithout(workflowId);
  const handle = await darkroom.start(request, { key: workflowId, callback });
  if (detach === true) return detached(handle);
  return await answerOf(session, handle, { timeout, out });
}
