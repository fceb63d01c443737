import { Command } from 'commander';
import { allowedValues } from '../../api/input/allowed-values.ts';
import {
  describeModel,
  describeModels,
  type FieldDescription,
  type ModelDescription,
} from '../../api/models/describe.ts';
import { notAModel } from '../../api/models/override.ts';
import { findModel } from '../../api/models/registry.ts';
import { loadClientConfig } from '../../config/client-config.ts';
import { ownCommand } from '../../package/own-command.ts';
import { shellWord } from '../../package/shell-word.ts';
import { formatTable } from '../../terminal/table.ts';
import { terminalColumns } from '../../terminal/terminal-columns.ts';
import type { Answer, Answering } from '../answer.ts';
import { RequestRefused } from '../failures/request-refused.ts';
import { withOwnExamples } from '../with-own-examples.ts';

/** `models [id]`: the catalogue, or one model's fields. Needs neither Temporal nor the API. */
export function modelsCommand(answering: Answering): Command {
  const command = new Command('models')
    .description('list the models, or show the fields of one with their limits and an example')
    .argument('[id]', "a model's id")
    .action(
      answering((id: string | undefined) => Promise.resolve(id === undefined ? listModels() : showModel(id))),
    );
  return withOwnExamples(command, 'models', 'models image-l', 'models video-f --json');
}

function listModels(): Answer {
  const models = describeModels(loadClientConfig().models);
  const rows = models.map(({ id, family, title, fields, typicalSeconds, cost }) => [
    id,
    family,
    title,
    requiredFields(fields),
    `${typicalSeconds} s`,
    cost === undefined ? '' : `${cost.usdPerOutputSecond} USD a second`,
  ]);
  const head = ['model', 'family', 'what it does', 'required', 'takes about', 'cost'];
  const table = formatTable(head, rows, terminalColumns() ?? 160);
  return {
    // The whole schema of each model would bury the list; `models <id>` has it.
    json: models.map((model) => ({ ...model, schema: undefined })),
    text: `${table}\nThe fields of one: ${ownCommand('models', 'image-l')}`,
  };
}

function showModel(id: string): Answer {
  const model = findModel(id);
  if (model === undefined) throw new RequestRefused([{ path: 'model', message: notAModel(id) }]);
  const described = describeModel(model, loadClientConfig().models[id]);
  return { json: described, text: describeForPeople(described) };
}

function describeForPeople({
  id,
  title,
  path,
  output,
  multipart,
  fields,
  rules,
  assumedRules,
  example,
  schema,
}: ModelDescription): string {
  const rows = fields.map((field) => [
    field.name,
    field.required ? 'yes' : '',
    allowedValues(schema.properties?.[field.name] ?? {}),
    `${field.description}${notes(field)}`,
  ]);
  const assumed = fields.some((field) => field.assumed);
  return [
    `${id}: ${title} (${output})`,
    `POST <DARKROOM_API_URL>/${path}`,
    ...(fields.some(({ kind }) => kind !== undefined) ? [FORMS[`${multipart}`]] : []),
    formatTable(['field', 'required', 'allowed', 'meaning'], rows, terminalColumns() ?? 120),
    ...(assumed
      ? ['*  the API specification does not show the name: assumed, DARKROOM_CONFIG can change it']
      : []),
    ...(rules.length === 0
      ? []
      : ['', 'Rules:', ...rules.map((rule) => ruleOf(rule, assumedRules.includes(rule)))]),
    ...(assumedRules.length === 0
      ? []
      : ['*  the API specification only hints at the rule: assumed, DARKROOM_CONFIG can relax it']),
    '',
    'Example:',
    `  ${ownCommand('generate', id)} ${Object.entries(example).map(argument).join(' ')}`,
    `  ${JSON.stringify({ model: id, input: example })}`,
  ].join('\n');
}

/** Files without a public URL are sent in a form. */
const FORMS = {
  true: 'as JSON, or with files as multipart/form-data',
  assumed: 'as JSON, or with files as multipart/form-data (assumed; DARKROOM_CONFIG can switch it off)',
  false: 'as JSON; files need a public URL (DARKROOM_PUBLIC_OUTPUTS)',
} as const;

function ruleOf(rule: string, isAssumed: boolean): string {
  return `  - ${rule}${isAssumed ? ' *' : ''}`;
}

function notes({ assumed, wireName, default: fallback }: FieldDescription): string {
  return [
    assumed ? ' *' : '',
    fallback === undefined ? '' : ` (default ${JSON.stringify(fallback)})`,
    wireName === undefined ? '' : ` (sent as ${wireName})`,
  ].join('');
}

function requiredFields(fields: readonly FieldDescription[]): string {
  return fields.flatMap(({ name, required }) => (required ? name : [])).join(', ');
}

/** `prompt="a lighthouse at dawn"`, ready for a shell. */
function argument([name, value]: [string, unknown]): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return `${name}=${shellWord(text)}`;
}
