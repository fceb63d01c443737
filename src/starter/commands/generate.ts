import { Command } from 'commander';
import type { ModelId } from '../../api/models/registry.ts';
import type { PolicySubset } from '../../client/darkroom-client.ts';
import { loadClientConfig } from '../../config/client-config.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { Answer, Answering } from '../answer.ts';
import { describeGenerationResult } from '../describe/describe-generation.ts';
import { announce } from '../follow/announce.ts';
import { followGeneration } from '../follow/follow.ts';
import { checkGeneration } from '../request/check-request.ts';
import { parseFields } from '../request/parse-fields.ts';
import { parseJsonText, readJsonFile } from '../request/read-json-file.ts';
import { withSession } from '../session.ts';

interface Options {
  input?: string;
  id?: string;
  workspace?: string;
  policy?: string;
}

/** `generate <model> [field=value …]`: one generation, waited for. */
export function generateCommand(answering: Answering): Command {
  return new Command('generate')
    .description('generate with one model and wait for the result')
    .argument('<model>', "a model's id, like image-l (`models` lists them)")
    .argument(
      '[fields...]',
      'field=value: numbers, true and false, JSON for lists and objects; repeat it for a list',
    )
    .option('--input <file>', 'a JSON file with the input (- is standard input); fields come on top of it')
    .option('--id <key>', 'the same key is the same purchase: the workflow id is generation/<key>')
    .option('--workspace <name>', 'a workspace that the worker is configured for')
    .option('--policy <json>', 'any part of the policy, like \'{"deadline":"10m"}\'')
    .action(answering(generate));
}

async function generate(model: string, fields: string[], options: Options): Promise<Answer> {
  const base = options.input === undefined ? {} : readJsonFile(options.input);
  const request: GenerationRequest = {
    model,
    input: { ...base, ...parseFields(model, fields) },
    ...(options.workspace === undefined ? {} : { workspace: options.workspace }),
    ...(options.policy === undefined ? {} : { policy: parseJsonText(options.policy, '--policy') }),
  };
  checkGeneration(request, loadClientConfig());
  return await withSession(async ({ config, darkroom, temporal }) => {
    const { id: key, workspace } = options;
    // `checkGeneration` has checked the model and the policy against the types that stand here.
    const handle = await darkroom.startGeneration(model as ModelId, request.input, {
      ...(key === undefined ? {} : { key }),
      ...(workspace === undefined ? {} : { workspace }),
      ...(request.policy === undefined ? {} : { policy: request.policy as PolicySubset }),
    });
    announce(handle, config.temporal);
    const result = await followGeneration(temporal, handle, model);
    return { json: result, text: describeGenerationResult(result) };
  });
}
