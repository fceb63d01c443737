import type { ModelOutputs } from '../api/models/model-types.ts';
import type { ModelId } from '../api/models/registry.ts';
import { STEP_NAME } from '../contract/limits.ts';
import type { PipelineRequest, PipelineStep, PipelineSteps, StepType } from '../contract/pipeline.ts';
import {
  type EachOutput,
  type EachValue,
  type Named,
  type OutputUrl,
  type OutputUrls,
  type ParamValue,
  Reference,
  written,
} from './reference.ts';
import type { FansOut, StepInput } from './step-input.ts';

/** A step of the pipeline, for those that use what it makes. */
export interface Step<Id extends ModelId = ModelId, IsFannedOut extends boolean = boolean>
  extends StepType<Id, IsFannedOut> {
  /** The URL of its first output, for a field that takes such a file. */
  readonly output: OutputUrl<ModelOutputs[Id]>;
  /** The URL of one of its outputs, counted from 0; of a step that is fanned out, through all of them in order. */
  readonly outputAt: (index: number) => OutputUrl<ModelOutputs[Id]>;
  /** The URLs of all its outputs, for a field that takes a list of such files. */
  readonly all: OutputUrls<ModelOutputs[Id]>;
  /** Fans the step that uses it out: one generation for each output. */
  readonly each: EachOutput<ModelOutputs[Id]>;
}

export interface StepOptions<TemplateId extends string | undefined = string | undefined>
  extends Pick<PipelineStep, 'policy' | 'approve' | 'onFailure'> {
  /** A template of the API: it completes the input, which then may leave any field open. */
  templateId?: TemplateId;
  /** Letters, digits, `_` and `-`, at most 64; what the function returns it under when absent, else the model's id. */
  name?: string;
}

/** What a pipeline says beside its steps. */
export interface PipelineOptions<
  Params extends object,
  Column extends string,
  AllowPartial extends boolean = boolean,
> extends Pick<
    PipelineRequest<unknown, AllowPartial>,
    'workspace' | 'policy' | 'tags' | 'callback' | 'budget' | 'reuse' | 'allowPartial'
  > {
  /** Values by name, which stand in the document's `params`. Each keeps its own type: `'16:9'` fits an aspect ratio. */
  params?: Params;
  /** Names of parameters that have no value in the document: each row of a batch gives its own, as text. */
  columns?: readonly Column[];
}

/** What the function that defines a pipeline is given. */
export interface PipelineParts<Params extends object, Column extends string> {
  /**
   * Adds a step: the model's id, its input, and what else is said about it. It runs as soon as what its input refers
   * to is done. A step from a template may leave fields open.
   */
  readonly step: <
    const Id extends ModelId,
    const Input extends Partial<StepInput<Id>>,
    TemplateId extends string | undefined = undefined,
  >(
    model: Id,
    input: Exact<Input, [TemplateId] extends [string] ? Partial<StepInput<Id>> : StepInput<Id>>,
    options?: StepOptions<TemplateId>,
  ) => Step<Id, FansOut<Input>>;
  /** References to the parameters and columns, by name. */
  readonly input: { readonly [Name in keyof Params]: ParamValue<Params[Name]> } & {
    readonly [Name in Column]: ParamValue<string>;
  };
  /** The values of the parameters themselves, to build the pipeline by: how many steps, say. */
  readonly params: Params;
  /** Fans a step out over a parameter that is a list: one generation for each value. */
  readonly each: <Value>(list: ParamValue<readonly Value[]>) => EachValue<Value>;
}

/** The input as it is given, so that what it refers to is known; with an unknown field, for the message, what it has to be. */
type Exact<Input, Wanted> = [Exclude<keyof Input, keyof Wanted>] extends [never] ? Input & Wanted : Wanted;

/** Steps under the names that they are to have; nothing: they have those of their options, or of their models. */
// biome-ignore lint/suspicious/noConfusingVoidType: a function that returns nothing is what is meant
export type ReturnedSteps = Readonly<Record<string, Step>> | void;

interface DefinedStep extends Named {
  step: Omit<PipelineStep, 'input'> & { input: unknown };
}

/**
 * The JSON document of a pipeline, defined by a function. A wrong model, field, value, kind of file or parameter is a
 * compile error; limits of size and the rules between fields are checked when the pipeline is started. Its result has
 * the steps that the function returns, each with what its model makes.
 *
 *     const film = definePipeline(
 *       ({ step, input }) => {
 *         const still = step('image-l', { prompt: input.scene });
 *         const large = step('upscale-q', { image_url: still.output });
 *         const clip = step('video-f', { prompt: 'slow zoom', first_frame_url: large.output });
 *         return { still, large, clip };
 *       },
 *       { params: { scene: 'a lighthouse at dawn' }, budget: { credits: 500 } },
 *     );
 *
 * @throws Error where two steps have one name, or a name is none
 */
export function definePipeline<
  const Params extends object = object,
  const Column extends string = never,
  Returned extends ReturnedSteps = ReturnedSteps,
  AllowPartial extends boolean = false,
>(
  build: (parts: PipelineParts<Params, Column>) => Returned,
  options: PipelineOptions<Params, Column, AllowPartial> = {},
): PipelineRequest<Returned, AllowPartial> {
  const { params, columns: _, ...rest } = options;
  const defined = new Map<Step, DefinedStep>();
  const returned = build({
    step: <Id extends ModelId, IsFannedOut extends boolean>(
      model: Id,
      input: unknown,
      stepOptions?: StepOptions,
    ) => {
      const [step, definition] = defineStep<Id, IsFannedOut>(model, input, stepOptions);
      defined.set(step, definition);
      return step;
    },
    input: references<Params, Column>(),
    params: params ?? ({} as Params), // absent means that there are none
    each: <Value>(list: ParamValue<readonly Value[]>): EachValue<Value> =>
      stand<EachValue<Value>>(() => ({ $each: written(list) })),
  });
  nameSteps(defined, returned ?? {});
  const steps = [...defined.values()].map(({ name, step }) => [
    name,
    { ...step, input: written(step.input) as Record<string, unknown> }, // an input is an object, and stays one
  ]);
  return {
    steps: Object.fromEntries(steps) as PipelineSteps<Returned>, // of entries that were made just now
    ...(params === undefined ? {} : { params: Object.fromEntries(Object.entries(params)) }),
    ...rest,
  };
}

function defineStep<Id extends ModelId, IsFannedOut extends boolean>(
  model: Id,
  input: unknown,
  { name = '', templateId, ...more }: StepOptions = {},
): [Step<Id, IsFannedOut>, DefinedStep] {
  const definition: DefinedStep = {
    name,
    step: { model, input, ...(templateId === undefined ? {} : { templateId }), ...more },
  };
  const outputAt = (index: number): OutputUrl<ModelOutputs[Id]> =>
    stand(() => ({ $from: definition.name, ...(index === 0 ? {} : { output: index }) }));
  const step: Step<Id, IsFannedOut> = {
    model,
    output: outputAt(0),
    outputAt,
    all: stand(() => ({ $all: definition.name })),
    each: stand(() => ({ $each: definition.name })),
  };
  return [step, definition];
}

/** A parameter's name is whatever was asked for: the compiler has seen that it is there. */
function references<Params extends object, Column extends string>(): PipelineParts<Params, Column>['input'] {
  const get = (_: object, name: string | symbol): unknown =>
    typeof name === 'string' ? new Reference(() => ({ $param: name })) : undefined;
  return new Proxy({}, { get }) as PipelineParts<Params, Column>['input']; // what it hands out is made above
}

/** The types of references exist for the compiler alone: behind each of them is a `Reference`. */
function stand<Type>(asWritten: () => Record<string, unknown>): Type {
  return new Reference(asWritten) as Type;
}

function nameSteps(defined: ReadonlyMap<Step, DefinedStep>, returned: Readonly<Record<string, Step>>): void {
  for (const [name, step] of Object.entries(returned)) {
    const definition = defined.get(step);
    if (definition === undefined) throw new Error(`${name} is no step of this pipeline`);
    if (definition.name !== '' && definition.name !== name)
      throw new Error(`step ${definition.name} is returned as ${name}: it has one name`);
    definition.name = name;
  }
  const taken = new Set<string>();
  const named = [...defined.values()].filter(({ name }) => name !== '');
  for (const { name } of named) {
    if (!STEP_NAME.test(name))
      throw new Error(
        `${JSON.stringify(name)} is no name of a step: letters, digits, _ and -, at most 64 of them`,
      );
    if (taken.has(name)) throw new Error(`two steps are named ${name}`);
    taken.add(name);
  }
  for (const definition of defined.values()) {
    if (definition.name === '') definition.name = unused(definition.step.model, taken);
    taken.add(definition.name);
  }
}

/** `image-l`, then `image-l-2`. */
function unused(model: string, taken: ReadonlySet<string>): string {
  for (let count = 2, name = model; ; name = `${model}-${count}`, count += 1)
    if (!taken.has(name)) return name;
}
