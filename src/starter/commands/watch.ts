import { Command } from 'commander';
import type { Answer, Answering } from '../answer.ts';
import { describeGenerationResult } from '../describe/describe-generation.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { announce } from '../follow/announce.ts';
import { followGeneration, followPipeline } from '../follow/follow.ts';
import { type Session, withSession } from '../session.ts';

/** `watch <workflow id>`: the progress and the result of a run that was started before. */
export function watchCommand(answering: Answering): Command {
  return new Command('watch')
    .description('watch a generation or a pipeline until it ends')
    .argument('<workflow id>', 'like generation/<key> or pipeline/<key>')
    .action(answering((workflowId: string) => withSession((session) => watchRun(session, workflowId))));
}

/** Follows the latest run of a workflow id to its end. */
export async function watchRun({ config, darkroom, temporal }: Session, workflowId: string): Promise<Answer> {
  const handle = await darkroom.attach(workflowId);
  announce(handle, config.temporal, 'existing');
  if (handle.kind === 'generation') {
    const result = await followGeneration(temporal, handle, workflowId);
    return { json: result, text: describeGenerationResult(result) };
  }
  const result = await followPipeline(temporal, handle);
  return { json: result, text: describePipelineResult(result) };
}
