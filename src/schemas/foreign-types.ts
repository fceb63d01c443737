import { describeModels, type FieldDescription, type ModelDescription } from '../api/models/describe.ts';
import type { JsonSchema } from '../api/models/json-schema.ts';
import type { MediaKind } from '../api/models/media-kind.ts';
import { className, limitsOf } from './model-types.ts';

/** The models' inputs as types of other languages, by path in the repository. */
export const FOREIGN_TYPES: Readonly<Record<string, () => string>> = {
  'examples/python/darkroom_models.py': pythonTypes,
  'examples/go/models.go': goTypes,
};

const WRITTEN = 'Written by `npm run schemas` from the registry; not to be edited.';

interface Kinded {
  kind?: MediaKind | undefined;
}

/** The words of a field, without what a line of any language could end by. */
function wordsOf(field: FieldDescription): string {
  return [field.description, ...limitsOf(field)].join(' ').replaceAll(/\s+/g, ' ');
}

function pythonTypes(): string {
  const models = describeModels();
  return [
    `"""The input of each model. ${WRITTEN}"""`,
    '',
    'from typing import Any, List, Literal, Union',
    '',
    'from typing_extensions import NotRequired, TypedDict',
    '',
    'Reference = TypedDict("Reference", {"$from": str, "output": NotRequired[int]})',
    '"""In a pipeline, in the place of a URL: an output of another step."""',
    '',
    'File = Union[str, Reference]',
    '"""The URL of a file, or in a pipeline another step\'s output."""',
    '',
    `ModelId = Literal[\n${models.map(({ id }) => `    "${id}",\n`).join('')}]`,
    ...models.map((model) =>
      [
        '',
        '',
        `class ${className(model.id)}(TypedDict):`,
        `    """${titleOf(model)}"""`,
        ...model.fields.flatMap((field) => [
          '',
          `    # ${wordsOf(field)}`,
          `    ${field.name}: ${optional(field, pythonType(model.schema.properties?.[field.name] ?? {}, field))}`,
        ]),
      ].join('\n'),
    ),
    '',
  ].join('\n');
}

function optional({ required }: FieldDescription, type: string): string {
  return required ? type : `NotRequired[${type}]`;
}

function pythonType(schema: JsonSchema, { kind }: Kinded): string {
  if (schema.enum !== undefined)
    return `Literal[${schema.enum.map((one) => JSON.stringify(one)).join(', ')}]`;
  const types = [schema.type ?? []].flat().map((type) => {
    switch (type) {
      case 'string':
        return kind === undefined ? 'str' : 'File';
      case 'integer':
        return 'int';
      case 'number':
        return 'float';
      case 'boolean':
        return 'bool';
      case 'null':
        return 'None';
      case 'array':
        return `List[${pythonType(schema.items ?? {}, { kind })}]`;
      case 'object':
        return 'dict[str, Any]';
      default:
        return type satisfies never;
    }
  });
  if (types.length === 0) return 'Any';
  return types.length === 1 ? types.join('') : `Union[${types.join(', ')}]`;
}

function goTypes(): string {
  return [
    `// ${WRITTEN}\n`,
    'package main\n',
    "// Reference stands in a pipeline for the URL of another step's output.",
    'type Reference struct {',
    '\tFrom string `json:"$from"`',
    '\t// Output is 0 for the first one.',
    '\tOutput int `json:"output,omitempty"`',
    '}\n',
    '// File is the URL of a file, or in a pipeline a Reference.',
    'type File = any\n',
    '// Of gives optional numbers and flags their pointers.',
    'func Of[T any](value T) *T { return &value }',
    ...describeModels().map((model) =>
      [
        '',
        `// ${className(model.id)} is the input of ${model.id}. ${titleOf(model)}`,
        `type ${className(model.id)} struct {`,
        ...model.fields.flatMap((field) => {
          const type = goType(model.schema.properties?.[field.name] ?? {}, field);
          const isPointer = !field.required && /^(int|float64|bool)$/.test(type);
          const tag = `json:"${field.name}${field.required ? '' : ',omitempty'}"`;
          return [
            `\t// ${wordsOf(field)}`,
            `\t${goName(field.name)} ${isPointer ? '*' : ''}${type} \`${tag}\``,
          ];
        }),
        '}',
      ].join('\n'),
    ),
    '',
  ].join('\n');
}

function goType(schema: JsonSchema, { kind }: Kinded): string {
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null');
  const [type] = types;
  if (types.length !== 1 || type === undefined) return 'any';
  switch (type) {
    case 'string':
      return kind === undefined ? 'string' : 'File';
    case 'integer':
      return 'int';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    case 'array':
      return `[]${goType(schema.items ?? {}, { kind })}`;
    case 'object':
      return 'map[string]any';
    default:
      return type satisfies never;
  }
}

const INITIALS: ReadonlySet<string> = new Set(['url', 'id', 'fps']);

/** `first_frame_url` → `FirstFrameURL` */
function goName(name: string): string {
  const parts = name.split('_').filter((part) => part !== '');
  return parts
    .map((part) => (INITIALS.has(part) ? part.toUpperCase() : part.charAt(0).toUpperCase() + part.slice(1)))
    .join('');
}

function titleOf({ title, rules, assumedRules }: ModelDescription): string {
  const all = rules.map((rule) => `${rule}${assumedRules.includes(rule) ? ' (assumed)' : ''}`);
  return [`${title}.`, ...all.map((rule) => `${rule}.`)].join(' ');
}
