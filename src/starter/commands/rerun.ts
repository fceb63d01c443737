import { WorkflowNotFoundError } from '@temporalio/client';
import { Command } from 'commander';
import { NotFollowableError } from '../../client/darkroom-client.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import { readLatestRun } from '../../temporal/latest-run.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { withSession } from '../session.ts';
import { rerunGeneration } from './rerun-generation.ts';
import { rerunPipeline } from './rerun-pipeline.ts';
import { watchRun } from './watch.ts';

interface Options {
  set: string[];
  id?: string;
}

/** `rerun <workflow id>`: the same once more, without buying again what was already bought. */
export function rerunCommand(answering: Answering): Command {
  return new Command('rerun')
    .description('run a generation or a pipeline once more, without buying again what was already bought')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .option(
      '--set <step.field=value>',
      'a pipeline step with another value (repeatable); its followers run again',
      collect,
      [],
    )
    .option('--id <key>', "the new pipeline's key")
    .action(answering(rerun));
}

async function rerun(workflowId: string, { set, id }: Options): Promise<Answer> {
  return await withSession(async (session) => {
    const started = await readLatestRun<unknown>(session.temporal, workflowId);
    if (started === undefined) throw new WorkflowNotFoundError('no run', workflowId, undefined);
    if (started.type === 'pipeline')
      return await rerunPipeline(session, workflowId, started.request, set, id);
    if (started.type !== 'generation') throw new NotFollowableError(workflowId, started.type);
    if (set.length > 0 || id !== undefined) {
      throw new UsageError(
        '--set and --id are for pipelines; a changed generation is another purchase: use generate',
      );
    }
    await rerunGeneration(session, workflowId, started, started.request as GenerationRequest); // a generation's argument
    return await watchRun(session, workflowId);
  });
}

function collect(value: string, earlier: string[]): string[] {
  return [...earlier, value];
}
