import { describeModels, type FieldDescription, type ModelDescription } from '../api/models/describe.ts';
import { contentAt, type JsonSchema } from '../api/models/json-schema.ts';
import { findModel } from '../api/models/registry.ts';

/** A line of TypeScript is at most so long; the formatter would break it. */
const LINE = 110;

/**
 * The text of `src/api/models/model-types.ts`: the models' inputs as plain interfaces with their limits in words, for
 * editors, and for compilers that need not work them out of the schemas.
 */
export function modelTypes(): string {
  const models = describeModels();
  return [
    '/** Written by `npm run schemas` from the registry; not to be edited. */\n',
    ...models.map(inputInterface),
    tableOf('The input of each model, by its id.', 'ModelInputs', models, ({ id }) => className(id)),
    tableOf('What each model makes.', 'ModelOutputs', models, ({ output }) => quoted(output)),
    tableOf(
      'The fields of each model that take the URL of a file or a list of such, and of what kind these are.',
      'ModelFiles',
      models,
      filesOf,
    ),
  ].join('\n');
}

function inputInterface({ id, title, fields, rules, assumedRules }: ModelDescription): string {
  const schema = (field: FieldDescription): JsonSchema => propertyOf(id, field.name);
  return [
    ...comment([
      `Input of \`${id}\`: ${title}.`,
      ...rules.map((rule) => `- ${rule}${assumedRules.includes(rule) ? ' (assumed)' : ''}`),
    ]),
    `export interface ${className(id)} {`,
    ...fields.flatMap((field) => [
      ...comment([[field.description, ...limitsOf(field)].join(' ')], '  '),
      declaration(field, typeOf(schema(field))),
    ]),
    '}\n',
  ].join('\n');
}

function propertyOf(id: string, name: string): JsonSchema {
  const model = describeModels().find((one) => one.id === id);
  return model?.schema.properties?.[name] ?? {};
}

/** A union has a line for each of its types where it is long. */
function declaration({ name, required }: FieldDescription, types: readonly string[]): string {
  const all = required || types.includes('unknown') ? types : [...types, 'undefined'];
  const field = `  ${name}${required ? '' : '?'}:`;
  const short = `${field} ${all.join(' | ')};`;
  return short.length <= LINE ? short : `${field}${all.map((one) => `\n    | ${one}`).join('')};`;
}

function typeOf(schema: JsonSchema): string[] {
  if (schema.enum !== undefined) return schema.enum.map((value) => quoted(String(value)));
  const types = [schema.type ?? []].flat();
  if (types.length === 0) return ['unknown'];
  return types.map((type) => {
    switch (type) {
      case 'integer':
        return 'number';
      case 'array': {
        const inner = typeOf(schema.items ?? {});
        return inner.length === 1 ? `${inner.join('')}[]` : `(${inner.join(' | ')})[]`;
      }
      case 'object':
        return objectType(schema);
      case 'string':
      case 'number':
      case 'boolean':
      case 'null':
        return type;
      default:
        return type satisfies never;
    }
  });
}

function objectType({ properties = {}, required = [] }: JsonSchema): string {
  const fields = Object.entries(properties).map(([name, schema]) => {
    const isRequired = required.includes(name);
    const own = typeOf(schema);
    const types = isRequired || own.includes('unknown') ? own : [...own, 'undefined'];
    return `${name}${isRequired ? '' : '?'}: ${types.join(' | ')}`;
  });
  return `{ ${fields.join('; ')} }`;
}

/** `One of …`, `1 to 4`, `Default: 2`: what the type does not say. */
export function limitsOf(field: FieldDescription): string[] {
  const { minLength, maxLength, minimum, maximum, exclusiveMinimum, minItems, maxItems } = field;
  const least = isSafeLimit(minimum) ? minimum : undefined;
  const most = isSafeLimit(maximum) ? maximum : undefined;
  const limits = [
    range(minLength, maxLength, ' characters'),
    range(least, most, field.type === 'integer' ? ', whole' : ''),
    exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`,
    range(minItems, maxItems, ' entries'),
    field.kind === undefined ? undefined : `${field.type === 'array' ? 'URLs' : 'URL'} of: ${field.kind}`,
    field.default === undefined ? undefined : `default: ${JSON.stringify(field.default)}`,
    field.assumed ? 'the name is assumed' : undefined,
  ].filter((limit) => limit !== undefined);
  return limits.length === 0 ? [] : [`(${limits.join('; ')})`];
}

/** The safe integers are no limit that anybody has to be told of. */
function isSafeLimit(limit: number | undefined): limit is number {
  return limit !== undefined && Math.abs(limit) < Number.MAX_SAFE_INTEGER;
}

function range(min: number | undefined, max: number | undefined, of: string): string | undefined {
  if (min === undefined && max === undefined) return undefined;
  if (max === undefined) return `at least ${min}${of}`;
  return min === undefined ? `at most ${max}${of}` : `${min} to ${max}${of}`;
}

function filesOf({ id, fields }: ModelDescription): string {
  const model = findModel(id);
  const files = fields.flatMap(({ name }) => {
    const content = model === undefined ? undefined : contentAt(model, [name]);
    return typeof content === 'object' ? [`${name}: ${quoted(content.files)}`] : [];
  });
  if (files.length === 0) return 'Readonly<Record<string, never>>';
  const short = `{ ${files.join('; ')} }`;
  return short.length <= 80 ? short : `{\n${files.map((file) => `    ${file};`).join('\n')}\n  }`;
}

function tableOf(
  says: string,
  name: string,
  models: readonly ModelDescription[],
  type: (model: ModelDescription) => string,
): string {
  const rows = models.map((model) => `  ${quoted(model.id)}: ${type(model)};`);
  return `/** ${says} */\nexport interface ${name} {\n${rows.join('\n')}\n}\n`;
}

/** `image-l` → `ImageLInput` */
export function className(id: string): string {
  return `${id.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Input`;
}

function comment(texts: readonly string[], indent = ''): string[] {
  const wrapped = texts.flatMap((text) => wrap(text.replaceAll('*/', '* /'), LINE - indent.length));
  const [only = ''] = wrapped;
  if (wrapped.length === 1) return [`${indent}/** ${only} */`];
  return [`${indent}/**`, ...wrapped.map((line) => `${indent} * ${line}`), `${indent} */`];
}

function wrap(text: string, width: number): string[] {
  const found: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      found.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...found, line];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`\'`)}'`;
}
