import { Command } from 'commander';
import { loadClientConfig } from '../../config/client-config.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { Answer, Answering } from '../answer.ts';
import { describePipelineResult } from '../describe/describe-pipeline.ts';
import { announce } from '../follow/announce.ts';
import { followPipeline } from '../follow/follow.ts';
import { checkPipeline } from '../request/check-request.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { withSession } from '../session.ts';

/** `run <pipeline.json>`: a pipeline, waited for. */
export function runCommand(answering: Answering): Command {
  return new Command('run')
    .description('run a pipeline and wait for the result')
    .argument('<pipeline.json>', 'a JSON file with { "steps": … } (- is standard input)')
    .option('--id <key>', 'the same key is the same purchase: the workflow id is pipeline/<key>')
    .action(answering(run));
}

async function run(path: string, { id: key }: { id?: string }): Promise<Answer> {
  const request = readJsonFile(path) as unknown as PipelineRequest; // checked in the next line
  checkPipeline(request, loadClientConfig());
  return await startAndFollow(request, key);
}

/** Starts a checked pipeline, or attaches to the one that has the key, and waits for its result. */
async function startAndFollow(request: PipelineRequest, key: string | undefined): Promise<Answer> {
  return await withSession(async ({ config, darkroom, temporal }) => {
    const handle = await darkroom.startPipeline(request, key === undefined ? {} : { key });
    announce(handle, config.temporal);
    const result = await followPipeline(temporal, handle);
    return { json: result, text: describePipelineResult(result) };
  });
}
