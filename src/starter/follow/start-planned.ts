import type { StartOptions } from '../../client/options.ts';
import type { PipelinePlan } from '../../client/plan/plan-pipeline.ts';
import { NOTHING, planStart } from '../../client/plan/plan-start.ts';
import { workflowIdOf } from '../../client/workflow-id.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { budgetAccount, readAccount } from '../../temporal/read-account.ts';
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
  priority?: StartOptions['priority'];
}

/**
 * Says what a pipeline will buy and what it will reuse, and then runs it, unless only that was asked for.
 *
 * @throws RequestRefused, KeyInUseError, PipelineFailedError; StillRunning when the time is over
 */
export async function startPlanned(
  session: Session,
  given: PipelineRequest,
  { key, timeout, dryRun, out, callback, detach, priority }: Planned,
): Promise<Answer> {
  const { config, temporal, darkroom, files } = session;
  checkPipeline(given, config);
  const sent = await files.sent(given, undefined);
  const request = callback === undefined ? sent : { ...sent, callback };
  const { taskQueue } = config;
  const workflowId = workflowIdOf('pipeline', key);
  const plan = await planStart(temporal, { kind: 'pipeline', workflowId, request, taskQueue });
  const text = describeStart(workflowId, plan, request, await spentOf(session, request));
  if (dryRun === true) return { json: plan, text };
  if (plan !== NOTHING) process.stderr.write(`${printable(text)}\n`);
  mayGoOnWithout(workflowId);
  const handle = await darkroom.start(request, { key: workflowId, priority });
  if (detach === true) return detached(handle);
  return await answerOf(session, handle, { timeout, out });
}

/** What a start would buy, for people. */
export function describeStart(
  workflowId: string,
  plan: PipelinePlan,
  request?: PipelineRequest,
  spent?: number,
): string {
  return plan === NOTHING
    ? `${workflowId} exists already: nothing new is bought`
    : describePlan(plan, request, spent);
}

/** What is spent or reserved of a budget that goes on; 0 where no worker answers. */
async function spentOf({ temporal, config }: Session, { budget }: PipelineRequest): Promise<number> {
  if (budget?.of === undefined) return 0;
  const reading = readAccount(temporal, budgetAccount(budget.of), config.taskQueue);
  return await reading.then(
    ({ spent, reserved }) => spent + reserved,
    () => 0,
  );
}
