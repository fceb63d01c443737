/** `temporal-darkroom/models`: every model of the API, and the types that go by its id. */
export type { Model } from './define-model.ts';
export { describeModel, describeModels, type FieldDescription, type ModelDescription } from './describe.ts';
export { inputSchema, type JsonSchema } from './json-schema.ts';
export type * from './model-types.ts';
export type { ModelOverride, ModelOverrides } from './override.ts';
export {
  findModel,
  type InputFor,
  isModelId,
  MODEL_IDS,
  MODELS,
  type ModelId,
  type ModelInput,
} from './registry.ts';
