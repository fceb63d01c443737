import { z } from 'zod';
import { TEMPLATE_ID } from '../api/input/template.ts';
import { inputSchema } from '../api/models/json-schema.ts';
import { MODEL_IDS, MODELS, type ModelId } from '../api/models/registry.ts';
import { WHY_NOTHING } from '../contract/generation.ts';
import { MOST_GENERATIONS, RUN_ID, STEP_NAME } from '../contract/limits.ts';
import { MOST_TAGS, TAG } from '../contract/tags.ts';
import { pipelineBudgetSchema, policySchema } from '../policy/policy-schema.ts';
import { DRAFT, objectOf, type Schema } from './object-of.ts';
import { REFERENCES, stepInputSchema } from './step-input-schema.ts';

const model = { enum: MODEL_IDS };
const workspace = {
  type: 'string',
  description: 'picks the API key, the webhook secrets and the fairness key; "default" when absent',
};
const tags = {
  type: 'object',
  maxProperties: MOST_TAGS,
  propertyNames: { pattern: TAG.source },
  additionalProperties: { type: 'string', pattern: TAG.source },
  description: 'short words of your own, for caps and costs',
};
const callback = {
  type: 'string',
  format: 'uri',
  pattern: '^[Hh][Tt][Tt][Pp][Ss]?://',
  description: "where a signed word goes when the run has ended: below one of the worker's callbacks",
};
const templateId = {
  type: 'string',
  pattern: TEMPLATE_ID.source,
  description: 'a template of the API, which completes the input: its fields may be left open',
};
const withoutTemplate = { not: { required: ['templateId'] } };
const policy = { $ref: '#/$defs/policy' };
const $defs = {
  policy: { description: 'any subset; durations as text or in milliseconds', ...schemaOf(policySchema) },
};

/** The arguments of the workflows, as JSON Schema, by file name. The models' own schemas lie beside them. */
export const REQUEST_SCHEMAS: Readonly<Record<string, Schema>> = {
  'generation.json': {
    $schema: DRAFT,
    title: 'generation',
    description: 'The argument of the workflow `generation`.',
    ...objectOf(
      {
        model,
        input: { type: 'object', description: "the model's fields" },
        templateId,
        workspace,
        policy,
        tags,
        callback,
        earlierRun: {
          type: 'string',
          pattern: RUN_ID.source,
          description: 'a run of this same workflow id, whose purchases are adopted',
        },
        adoptOnly: {
          ...objectOf({ type: { enum: [...WHY_NOTHING] }, message: { type: 'string' } }, ['type', 'message']),
          description:
            'why nothing may be bought: the run adopts what earlier ones have bought, or fails with this',
        },
      },
      ['model', 'input'],
    ),
    dependentRequired: { adoptOnly: ['earlierRun'] },
    $defs,
    allOf: MODEL_IDS.map((id) => ({
      if: { properties: { model: { const: id } }, required: ['model'] },
      // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own word
      then: {
        if: withoutTemplate,
        // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own word
        then: { properties: { input: { $ref: `${id}.json` } } },
        else: { properties: { input: openInput(id) } },
      },
    })),
  },
  'pipeline.json': {
    $schema: DRAFT,
    title: 'pipeline',
    description: 'The argument of the workflow `pipeline`.',
    ...objectOf(
      {
        $schema: { type: 'string', description: 'the address of this JSON Schema, for editors' },
        steps: {
          type: 'object',
          minProperties: 1,
          maxProperties: MOST_GENERATIONS,
          propertyNames: { pattern: STEP_NAME.source },
          additionalProperties: {
            ...objectOf(
              {
                model: { ...model, description: 'what makes it' },
                input: {
                  type: 'object',
                  description:
                    'the model\'s fields; { "$from": step, "output": i } or { "$each": step } in the place of a URL, { "$all": step } in the place of a list of URLs, { "$param": name } or { "$each": { "$param": name } } in the place of any value',
                },
                templateId,
                policy,
                approve: {
                  type: 'boolean',
                  description: 'waits for the update approve or reject before anything of it is bought',
                },
                onFailure: {
                  enum: ['fail', 'hold'],
                  description: 'hold: where the step fails, it waits for the update resolve',
                },
              },
              ['model', 'input'],
            ),
            allOf: MODEL_IDS.map((id) => ({
              if: { properties: { model: { const: id } }, required: ['model'] },
              // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own word
              then: {
                properties: { input: { $ref: `#/$defs/${id}` } },
                if: withoutTemplate,
                // oxlint-disable-next-line unicorn/no-thenable -- JSON Schema's own word
                then: { properties: { input: { required: inputSchema(MODELS[id]).required ?? [] } } },
              },
            })),
          },
        },
        params: {
          type: 'object',
          propertyNames: { pattern: STEP_NAME.source },
          description: 'values for { "$param": name }',
        },
        workspace,
        policy,
        tags,
        callback,
        budget: schemaOf(pipelineBudgetSchema),
        reuse: { type: 'string', minLength: 1, description: 'the workflow id of an earlier pipeline' },
        allowPartial: { type: 'boolean' },
      },
      ['steps'],
    ),
    $defs: {
      ...$defs,
      ...REFERENCES,
      ...Object.fromEntries(MODEL_IDS.map((id) => [id, stepInputSchema(id)])),
    },
  },
};

/** What a template leaves of a model's input: any of its fields, none of them required. */
function openInput(id: ModelId): Schema {
  const { properties = {}, allOf: rules = [] } = inputSchema(MODELS[id]);
  const names = Object.keys(properties);
  return {
    properties: Object.fromEntries(names.map((name) => [name, { $ref: `${id}.json#/properties/${name}` }])),
    additionalProperties: false,
    ...(rules.length === 0
      ? {}
      : { allOf: rules.map((_, index) => ({ $ref: `${id}.json#/allOf/${index}` })) }),
  };
}

/** As a caller writes it: durations as text or as numbers. */
function schemaOf(schema: z.ZodType): Schema {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io: 'input', reused: 'inline' });
  return rest;
}
