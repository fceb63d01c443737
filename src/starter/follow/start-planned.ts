import { given } from '../../api/json/given.ts';
import type { StartOptions } from '../../client/options.ts';
import type { PipelinePlan } from '../../client/plan/plan-pipeline.ts';
import { NOTHING, planStart } from '../../client/plan/plan-start.ts';
import { workflowIdOf } from '../../client/workflow-id.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { Budget } from '../../contract/purchases/payers.ts';
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
  asked: PipelineRequest,
  { key, timeout, dryRun, out, callback, detach, priority }: Planned,
): Promise<Answer> {
  const { config, temporal, darkroom, files } = session;
  checkPipeline(asked, config);
  const sent = await files.sent(asked, undefined);
  const request = callback === undefined ? sent : { ...sent, callback };
  const { taskQueue } = config;
  const workflowId = workflowIdOf('pipeline', key);
  const plan = await planStart(temporal, files, { kind: 'pipeline', workflowId, request, taskQueue });
  const { budget, spent } = await budgetOf(session, request);
  const text = describeStart(workflowId, plan, { ...request, ...given({ budget }) }, spent);
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

/** What holds of a budget that goes on, and what is spent or reserved of it; as the request says where no worker answers. */
async function budgetOf(
  { temporal, config }: Session,
  { budget }: PipelineRequest,
): Promise<{ budget?: Budget; spent: number }> {
  const asked = { ...given({ budget }), spent: 0 };
  if (budget?.of === undefined) return asked;
  const reading = readAccount(temporal, budgetAccount(budget.of), config.taskQueue);
  return await reading.then(
    ({ spent, reserved, limit = budget.credits }) => {
      const credits = budget.since === undefined ? budget.credits : limit;
      return { budget: { ...budget, credits }, spent: spent + reserved };
    },
    () => asked,
  );
}
