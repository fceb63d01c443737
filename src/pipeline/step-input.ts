import type { MediaKind } from '../api/models/media-kind.ts';
import type { ModelFiles, ModelInputs } from '../api/models/model-types.ts';
import type { ModelId } from '../api/models/registry.ts';
import type { FileInput } from '../contract/file-input.ts';
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
      ? Given<Value>
      : [Value] extends [string]
        ? Value | FileInput | OutputUrl<Kind> | EachOutput<Kind>
        :
            | readonly (string | FileInput | OutputUrl<Kind> | EachOutput<Kind> | ParamValue<string>)[]
            | OutputUrls<Kind>)
  | ParamValue<Given<Value>>
  | EachValue<Given<Value>>;

/** Lists and objects that nobody changes, as they are where the compiler is to know them exactly. */
type Given<Value> = Value extends object ? { readonly [Key in keyof Value]: Given<Value[Key]> } : Value;

/** Whether a step of that input is fanned out; `boolean` where that is known at run time alone. */
export type FansOut<Input> = [Extract<Elements<Input[keyof Input]>, Each>] extends [never]
  ? false
  : true extends { [Field in keyof Input]: IsEach<Input[Field]> }[keyof Input]
    ? true
    : boolean;

type Each = EachOutput<MediaKind> | EachValue<unknown>;

type Elements<Value> = Value extends readonly (infer Element)[] ? Element : Value;

type IsEach<Value> = [Value] extends [Each]
  ? true
  : Value extends readonly [unknown, ...unknown[]]
    ? { [Index in keyof Value]: IsEach<Value[Index]> }[number]
    : false;
