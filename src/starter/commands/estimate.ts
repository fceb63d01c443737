import { Command } from 'commander';
import { planPipeline } from '../../client/plan/plan-pipeline.ts';
import { PriceBook } from '../../client/plan/price-book.ts';
import { loadClientConfig } from '../../config/client-config.ts';
import type { GenerationRequest } from '../../contract/generation.ts';
import type { PipelineRequest } from '../../contract/pipeline.ts';
import { catalogueUsd } from '../../policy/prices/price-facts.ts';
import type { Estimate } from '../../policy/prices/price-table.ts';
import type { Answer, Answering } from '../answer.ts';
import { UsageError } from '../failures/usage-error.ts';
import { checkGeneration, checkPipeline } from '../request/check-request.ts';
import { parseFields } from '../request/parse-fields.ts';
import { readJsonFile } from '../request/read-json-file.ts';
import { readParam, withoutRows, withParams } from '../request/read-param.ts';
import { type Session, withSession } from '../session.ts';
import { withOwnExamples } from '../with-own-examples.ts';

interface Options {
  input?: string;
  template?: string;
  workspace?: string;
  param?: Record<string, unknown>;
}

/** What a pipeline says in its file. */
const OF_GENERATIONS = ['input', 'template', 'workspace'] as const;

/** What something will cost, and what that rests on. */
interface Told {
  credits: { low: number; expected: number; high: number } | null;
  basis: string;
}

/** `estimate <model|pipeline.json> [field=value …]`: what it would cost; nothing is started. */
export function estimateCommand(answering: Answering): Command {
  const command = new Command('estimate')
    .description('tell what a generation or a pipeline will cost, by what such tasks have cost')
    .argument('<what>', 'a model\'s id, or a JSON file with { "steps": … }')
    .argument('[fields...]', 'of a generation: field=value, as for generate')
    .option('--input <file>', 'a JSON file with the input; fields come on top of it')
    .option('--template <id>', 'a template of the API, which completes the input')
    .option('--workspace <name>', 'a workspace that the worker is configured for')
    .option('--param <name=value>', 'of a pipeline: a value for { "$param": name } (repeatable)', readParam)
    .action(answering(estimate));
  return withOwnExamples(
    command,
    'estimate video-g prompt="slow zoom" duration=8',
    'estimate examples/lighthouse.json --json',
  );
}

async function estimate(what: string, fields: string[], options: Options): Promise<Answer> {
  const isPipeline = what.endsWith('.json');
  if (isPipeline && fields.length > 0)
    throw new UsageError('fields are for a generation, not for a pipeline');
  const { input, template, workspace, param } = options;
  const config = loadClientConfig();
  if (isPipeline) {
    const wrong = OF_GENERATIONS.find((option) => options[option] !== undefined);
    if (wrong !== undefined) throw new UsageError(`--${wrong} is for a generation, not for a pipeline`);
    const document = withParams(readJsonFile(what) as unknown as PipelineRequest, param); // checked here
    const request = withoutRows(document);
    checkPipeline(request, config);
    return await withSession(async (session) => answer(await ofPipeline(session, request)));
  }
  if (param !== undefined) throw new UsageError('--param is for a pipeline, not for a generation');
  const request: GenerationRequest = {
    model: what,
    input: { ...(input === undefined ? {} : readJsonFile(input)), ...parseFields(what, fields) },
    ...(template === undefined ? {} : { templateId: template }),
    ...(workspace === undefined ? {} : { workspace }),
  };
  checkGeneration(request, config);
  return await withSession(async ({ temporal, files }) => {
    const sent = await files.sent(request, undefined);
    const known = await new PriceBook(temporal, files, workspace).of(sent);
    return answer({ credits: rangeOf(known), basis: basisOf(known, what, catalogueUsd(request)) });
  });
}

async function ofPipeline({ temporal, files }: Session, request: PipelineRequest): Promise<Told> {
  const sent = await files.sent(request, undefined);
  const prices = new PriceBook(temporal, files, request.workspace);
  const { generations } = await planPipeline(temporal, sent, prices);
  const bought = generations.filter(({ action }) => action === 'buy');
  const sum = (of: 'low' | 'expected' | 'high'): number =>
    bought.reduce((all, { estimate: one }) => all + (one?.[of] ?? 0), 0);
  const unknown = bought
    .filter(({ estimate: one }) => one === undefined)
    .map(({ path, usd }) => (usd === undefined ? path : `${path} (${usd} USD by the catalogue)`));
  const credits =
    unknown.length > 0 ? null : { low: sum('low'), expected: sum('expected'), high: sum('high') };
  const basis =
    unknown.length > 0
      ? `not known: no task like ${unknown.join(', ')} was seen`
      : bought
          .map(({ path, model, estimate: one, usd }) => `${path}: ${basisOf(one, model, usd)}`)
          .join('; ');
  return { credits, basis: basis === '' ? 'nothing is bought' : basis };
}

function rangeOf(known: Estimate | undefined): Told['credits'] {
  if (known === undefined) return null;
  const { low, expected, high } = known;
  return { low, expected, high };
}

/** @param usd by the catalogue, where that has a price of it */
function basisOf(known: Estimate | undefined, model: string, usd: number | undefined): string {
  if (known === undefined)
    return usd === undefined
      ? `not known: no such task of ${model} was seen`
      : `not known: ${usd} USD by the catalogue, and no task was seen that tells how many credits that is`;
  const tasks = known.seen === 1 ? '1 task' : `${known.seen} tasks`;
  if (known.isExact) return `${tasks} of this kind`;
  if (known.sources === 'unknown') return `${tasks} of this kind: how long a source lasts is not known`;
  if (usd !== undefined) return `the catalogue: ${usd} USD, in credits by what ${tasks} of it cost`;
  return `worked out from ${tasks} with another number of results, seconds or characters`;
}

function answer({ credits, basis }: Told): Answer {
  const json: Told = { credits, basis };
  if (credits === null) return { json, text: basis };
  const { low, expected, high } = credits;
  const range = low === high ? '' : ` (${low} to ${high})`;
  return { json, text: `${expected} credits${range}, by ${basis}` };
}
