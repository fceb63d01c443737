import { Command } from 'commander';
import { given } from '../../api/json/given.ts';
import type { ModelId, ModelInput } from '../../api/models/registry.ts';
import type { StartOptions } from '../../client/options.ts';
import { workflowIdOf } from '../../client/workflow-id.ts';
import { loadClientConfig } from '../../config/client-config.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { Tags } from '../../contract/tags.ts';
import type { PolicySubset } from '../../policy/policy-subset.ts';
import type { Answer, Answering } from '../answer.ts';
import {
  answerOf,
  callingBack,
  detached,
  detaching,
  prioritized,
  saving,
  waiting,
} from '../follow/answer-of.ts';
import { mayGoOnWithout } from '../follow/interruption.ts';
import { describeStart } from '../follow/start-planned.ts';
import { checkGeneration } from '../request/check-request.ts';
import { parseFields } from '../request/parse-fields.ts';
import { parseJsonText, readJsonFile } from '../request/read-json-file.ts';
import { readTag } from '../request/read-tag.ts';
import { withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  input?: string;
  template?: string;
  id?: string;
  workspace?: string;
  policy?: string;
  tag?: Tags;
  timeout?: number;
  out?: string;
  callback?: string;
  detach?: true;
  dryRun?: true;
  priority?: StartOptions['priority'];
}

/** `generate <model> [field=value …]`: one generation, waited for. */
export function generateCommand(answering: Answering): Command {
  const command = new Command('generate')
    .description('generate with one model and wait for the result')
    .argument('<model>', "a model's id, like image-l (`models` lists them)")
    .argument(
      '[fields...]',
      'field=value: numbers, true and false, JSON for lists and objects; repeat it for a list; @photo.png uploads a file',
    )
    .option('--input <file>', 'a JSON file with the input (- is standard input); fields come on top of it')
    .option('--template <id>', 'a template of the API, which completes the input: fields may be left open')
    .option('--id <key>', 'the same key is the same purchase: the workflow id is generation/<key>')
    .option('--workspace <name>', 'a workspace that the worker is configured for')
    .option('--policy <json>', 'any part of the policy, like \'{"deadline":"10m"}\'')
    .option('--tag <name=value>', 'for caps and costs; repeat it for several', readTag)
    .option('--dry-run', 'only tell what it would buy, with an estimate')
    .action(answering(generate));
  return withOwnExamples(
    prioritized(detaching(callingBack(saving(waiting(command))))),
    'generate image-l prompt="a red fox in snow"',
    'generate image-l prompt="a red fox" n=2 --id order-17',
    'generate image-l prompt="a red fox" n=2 --dry-run',
    'generate image-l --template tpl_poster n=2',
    'generate upscale-q image_url=@photo.png --out .',
    'generate video-f --input clip.json --timeout 10m --json',
  );
}

async function generate(model: string, fields: string[], options: Options): Promise<Answer> {
  const base = options.input === undefined ? {} : readJsonFile(options.input);
  const { id: key, workspace, timeout, out, callback, detach, dryRun, priority } = options;
  const policy = options.policy === undefined ? undefined : parseJsonText(options.policy, '--policy');
  const request: GenerationRequest = {
    model,
    input: { ...base, ...parseFields(model, fields) },
    ...given({ templateId: options.template, workspace, policy, tags: options.tag }),
  };
  checkGeneration(request, loadClientConfig());
  return await withSession(async (session) => {
    // `checkGeneration` has checked all three against the types that stand here.
    const input = request.input as unknown as ModelInput<ModelId>;
    const workflowId = workflowIdOf('generation', key);
    const { templateId, tags } = request;
    const asked = given({
      templateId,
      workspace,
      callback,
      policy: policy as PolicySubset | undefined,
      tags,
    });
    const start = { key: workflowId, priority, ...asked };
    if (dryRun === true) {
      const plan = await session.darkroom.plan(model as ModelId, input, start);
      return { json: plan, text: describeStart(workflowId, plan) };
    }
    mayGoOnWithout(workflowId);
    const handle = await session.darkroom.start(model as ModelId, input, start);
    if (detach === true) return detached(handle);
    return await answerOf(session, handle, { label: model, timeout, out });
  });
}
