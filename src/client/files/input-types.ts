import type { MediaKind } from '../../api/models/media-kind.ts';
import type { ModelFiles, ModelInputs } from '../../api/models/model-types.ts';
import type { ModelId } from '../../api/models/registry.ts';
import type { FileInput } from '../../contract/file-input.ts';

/** The input of a model with files where its fields take URLs. */
type WithFiles<Id extends ModelId> = {
  [Field in keyof ModelInputs[Id]]: Field extends keyof ModelFiles[Id]
    ? [Extract<ModelFiles[Id][Field], MediaKind>] extends [never]
      ? ModelInputs[Id][Field]
      : OrFile<ModelInputs[Id][Field]>
    : OrFiles<ModelInputs[Id][Field]>;
};

type OrFile<Value> = Value extends string
  ? Value | FileInput
  : Value extends readonly string[]
    ? readonly (string | FileInput)[]
    : Value;

/** Files inside of objects: the elements of a picture. */
type OrFiles<Value> = Value extends readonly (infer Item extends object)[]
  ? { [Field in keyof Item]: Field extends `${string}_url${'' | 's'}` ? OrFile<Item[Field]> : Item[Field] }[]
  : Value;

/** The input of a model as a client takes it; with a template that is sure to be named, any field may be left open. */
export type ClientInput<Id extends ModelId, TemplateId extends string | undefined = undefined> = [
  TemplateId,
] extends [string]
  ? Partial<ModelInputs[Id]> | Partial<WithFiles<Id>>
  : // Editors show what a field means of the first one alone.
    ModelInputs[Id] | WithFiles<Id>;
