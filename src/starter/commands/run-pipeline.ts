import { Command } from 'commander';
import { loadClientConfig } from '../../config/client-config.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import type { Answer, Answering } from '../answer.ts';
import { waiting } from '../follow/answer-of.ts';
import { startPlanned } from '../follow/start-planned.ts';
import { checkPipeline } from '../request/check-request.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  id?: string;
  timeout?: number;
  dryRun?: true;
}

/** `run <pipeline.json>`: a pipeline, waited for. */
export function runCommand(answering: Answering): Command {
  const command = new Command('run')
    .description('run a pipeline and wait for the result')
    .argument('<pipeline.json>', 'a JSON file with { "steps": … } (- is standard input)')
    .option('--id <key>', 'the same key is the same purchase: the workflow id is pipeline/<key>')
    .option('--dry-run', 'only tell what it would buy and reuse, with estimates')
    .action(answering(run));
  return withOwnExamples(
    waiting(command),
    'run examples/lighthouse.json',
    'run examples/lighthouse.json --id film-3 --timeout 1h',
    'run examples/lighthouse.json --dry-run',
  );
}

async function run(path: string, { id: key, timeout, dryRun }: Options): Promise<Answer> {
  const request = readJsonFile(path) as unknown as PipelineRequest; // checked in the next line
  checkPipeline(request, loadClientConfig());
  return await withSession((session) => startPlanned(session, request, { key, timeout, dryRun }));
}
