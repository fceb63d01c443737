import type { MediaKind } from '../api/models/media-kind.ts';
import type { ModelFiles, ModelInputs } from '../api/models/model-types.ts';
import type { ModelId } from '../api/models/registry.ts';
import type { EachOutput, EachValue, OutputUrl, OutputUrls, ParamValue } from './reference.ts';

/**
 * The input of a step: the model's fields with their limits, where a file may be what another step makes, and any value
 * one that is given at the start.
 */
export type StepInput<Id extends ModelId> = {
  [Field in keyof ModelInputs[Id]]:
    | FieldValue<Exclude<ModelInputs[Id][Field], undefined>, FilesOf<ModelFiles[Id], Field>>
    | Extract<ModelInputs[Id][Field], undefined>;
};

/** What the files of a field are; `never` for one that takes none. */
type FilesOf<Files, Field> = Field extends keyof Files ? Extract<Files[Field], MediaKind> : never;

type FieldValue<Value, Kind extends MediaKind> =
  | ([Kind] extends [never]
      ? Value
      : [Value] extends [string]
        ? Value | OutputUrl<Kind> | EachOutput<Kind>
        : (string | OutputUrl<Kind> | EachOutput<Kind> | ParamValue<string>)[] | OutputUrls<Kind>)
  | ParamValue<Value>
  | EachValue<Value>;
