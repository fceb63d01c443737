import { allowedValues } from '../api/allowed-values.ts';
import { describeModels, type ModelDescription } from '../api/models/describe.ts';
import type { JsonSchema } from '../api/models/json-schema.ts';

const HEAD = `/**
 * The inputs of all models as types, made of the models' own fields by \`npm run schemas\`: what an editor shows of a
 * field is its meaning and its limits. A test holds them to the schemas that inputs are checked by.
 */
`;

/** The source of `src/api/models/inputs.ts`: an interface a model, and all of them by the models' ids. */
export function inputTypes(): string {
  const models = describeModels();
  const all = models.map(({ id }) => `  '${id}': ${interfaceName(id)};`);
  const kinds = models.map(({ id, output }) => `  '${id}': '${output}';`);
  return [
    HEAD,
    ...models.map(modelInterface),
    "/** The input of each model as its caller writes it, by the model's id. */",
    `export interface ModelInputs {\n${all.join('\n')}\n}\n`,
    '/** What the files are that each model makes. */',
    `export interface ModelOutputKinds {\n${kinds.join('\n')}\n}\n`,
  ].join('\n');
}

/** `image-l` → `ImageLInput` */
function interfaceName(id: string): string {
  const words = id.split('-').map((word) => `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`);
  return `${words.join('')}Input`;
}

function modelInterface({ id, title, cost, rules, fields, schema }: ModelDescription): string {
  const about = [
    `${title}.`,
    ...(cost === undefined ? [] : [`Costs ${cost.usdPerOutputSecond} USD per output second.`]),
    ...rules.map((rule) => `- ${rule}`),
  ];
  const members = fields.map(({ name, required, assumed }) => {
    const property = schema.properties?.[name] ?? {};
    const described = [
      `${property.description ?? name}: ${allowedValues(property)}.`,
      ...(property.default === undefined ? [] : [`Default: ${JSON.stringify(property.default)}.`]),
      ...(assumed ? ['The name is assumed; `DARKROOM_CONFIG` can rename it.'] : []),
    ];
    const type = typeOf(property);
    const value = type === 'unknown' || required ? type : `${type} | undefined`;
    return `${comment(described, '  ')}  ${name}${required ? '' : '?'}: ${value};\n`;
  });
  return `${comment(about, '')}export interface ${interfaceName(id)} {\n${members.join('')}}\n`;
}

function comment(lines: readonly string[], indent: string): string {
  const safe = lines.map((line) => line.replaceAll('*/', '* /'));
  if (safe.length === 1) return `${indent}/** ${safe[0]} */\n`;
  return `${indent}/**\n${safe.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`;
}

function typeOf(schema: JsonSchema): string {
  const { type, enum: choices } = schema;
  if (choices !== undefined) return choices.map(literal).join(' | ');
  if (Array.isArray(type)) return type.map((one) => typeOf({ ...schema, type: one })).join(' | ');
  switch (type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'array': {
      const item = typeOf(schema.items ?? {});
      return item.includes(' ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object':
      return objectType(schema);
    case undefined:
      return 'unknown';
    default:
      return type satisfies never;
  }
}

function objectType({ properties = {}, required = [], additionalProperties }: JsonSchema): string {
  const members = Object.entries(properties).map(([name, property]) => {
    const optional = !required.includes(name);
    const text = comment([`${property.description ?? name}: ${allowedValues(property)}.`], '');
    return `${text}${name}${optional ? '?' : ''}: ${typeOf(property)}${optional ? ' | undefined' : ''};`;
  });
  const open = additionalProperties === false ? [] : ['[attribute: string]: unknown;'];
  return `{\n${[...members, ...open].join('\n')}\n}`;
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}
