import { WorkflowNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { NotFollowableError } from '../../client/failures/not-followable-error.ts';
import { RerunRefusedError } from '../../client/failures/rerun-refused-error.ts';
import { planGeneration } from '../../client/plan/plan-generation.ts';
import { asGiven, withChanges } from '../../client/starting/as-given.ts';
import { goingOn, rerunGeneration, rerunKey, wanted } from '../../client/starting/rerun.ts';
import { workflowIdOf } from '../../client/workflow-id.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import type { Answer, Answering } from '../answer.ts';
import { describePlan } from '../describe/describe-plan.ts';
import { UsageError } from '../failures/usage-error.ts';
import { answerOf, waiting } from '../follow/answer-of.ts';
import { startPlanned } from '../follow/start-planned.ts';
import { changeGeneration, changePipeline } from '../request/apply-changes.ts';
import { checkGeneration } from '../request/check-request.ts';
import { knownId } from '../request/known-id.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  set: string[];
  id?: string;
  timeout?: number;
  dryRun?: true;
}

/** `rerun <workflow id>`: the same once more, without buying again what was already bought. */
export function rerunCommand(answering: Answering): Command {
  const command = new Command('rerun')
    .description('run a generation or a pipeline with a change, without buying again what was already bought')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .option(
      '--set <name=value>',
      "step.field of a pipeline, whose followers then run again, or a policy's field (repeatable)",
      collect,
      [],
    )
    .option('--id <key>', "the new pipeline's key")
    .option('--dry-run', 'only tell what it would buy and reuse, with estimates')
    .action(answering(rerun));
  return withOwnExamples(
    waiting(command),
    'rerun generation/order-17',
    'rerun generation/order-17 --set policy.budget.credits=100',
    'rerun pipeline/film-3 --set clip.duration=5 --dry-run',
    'rerun pipeline/film-3 --set budget.credits=500',
  );
}

async function rerun(given: string, { set, id, timeout, dryRun }: Options): Promise<Answer> {
  return await withSession(async (session) => {
    const workflowId = await knownId(session.temporal, given);
    const earlier = await readLatestRun<unknown>(session.temporal, workflowId);
    if (earlier === undefined) throw new WorkflowNotFoundError('there is no run', workflowId, undefined);
    const { type, request } = earlier;
    if (request === undefined) throw new RerunRefusedError(`${workflowId} was started without a request`);
    if (type === 'pipeline') {
      if (!earlier.isClosed) throw RerunRefusedError.stillRuns(workflowId);
      const sent = { ...earlier, request: request as PipelineRequest }; // a pipeline's argument
      const old = await asGiven(session.temporal, workflowId, sent);
      const key = id ?? rerunKey(workflowId);
      const changed = withChanges(old, changePipeline(old, set));
      const budget = changed.budget === old.budget ? undefined : changed.budget;
      const again = {
        ...changed,
        ...goingOn({ workflowId, as: workflowIdOf('pipeline', key) }, old, budget),
      };
      return await startPlanned(session, again, { key, timeout, dryRun });
    }
    if (type !== 'generation') throw new NotFollowableError(workflowId, type);
    if (id !== undefined)
      throw new UsageError('--id is for pipelines; a generation runs again under its own');
    const old = request as GenerationRequest; // a generation's argument
    const change = set.length === 0 ? undefined : changeGeneration(old, set);
    if (change !== undefined && earlier.isClosed) checkGeneration(change.request, session.config);
    if (dryRun === true) {
      const plan = await planGeneration(
        session.temporal,
        session.files,
        workflowId,
        earlier,
        wanted(old, change),
      );
      return { json: plan, text: describePlan(plan) };
    }
    await rerunGeneration(session.temporal, workflowId, { ...earlier, request: old }, change);
    const handle = await session.darkroom.attach(workflowId);
    return await answerOf(session, handle, { timeout, asked: 'existing' });
  });
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
