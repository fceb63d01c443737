import type { Mistake } from '../../api/input/mistakes.ts';
import { isRecord } from '../../api/json/is-record.ts';
import { contentAt, type FieldContent } from '../../api/models/json-schema.ts';
import { findModel } from '../../api/models/registry.ts';
import { MOST_GENERATIONS } from '../limits.ts';
import { fanOf, type Reference, resolveReferences } from '../steps/references.ts';
import { type CheckDeps, checkOrdered } from './check-generation.ts';
import type { Names } from './nearest.ts';
import { paramOf, type StepCount } from './output-counts.ts';
import type { StepNode } from './step-graph.ts';

/** Stands in for a reference while a step's input is checked before anything runs. */
const PLACEHOLDER_URL = 'https://output.invalid/of-another-step';
const A_REFERENCE = 'a reference, which stands for a URL';

/** What is known of the whole pipeline while one of its steps is looked at. */
export interface KnownSteps {
  nodes: ReadonlyMap<string, StepNode>;
  counts: ReadonlyMap<string, StepCount>;
  params: Readonly<Record<string, unknown>>;
  names: Names;
}

/**
 * A step's model and the fields that are known by now: a reference stands for a URL, a parameter for its value. Of a
 * fan-out over a parameter each item is looked at, up to the first that is wrong.
 */
export function* checkInput(
  node: StepNode,
  known: KnownSteps,
  deps: Pick<CheckDeps, 'models' | 'files'>,
): Generator<Mistake> {
  const { name, step } = node;
  yield* checkMedia(node, known);
  yield* checkAlmostReferences(node, known);
  for (const [index, input] of knownInputs(node, known)) {
    const mistakes = checkOrdered({ ...step, input }, deps);
    const item = index === undefined ? '' : `of item ${index} `;
    yield* mistakes.map(({ path, message }) => ({
      path: `steps.${name}.${path}`,
      message: () => {
        const text = typeof message === 'string' ? message : message();
        return `${item}${text.replace(JSON.stringify(PLACEHOLDER_URL), A_REFERENCE)}`;
      },
    }));
    if (mistakes.length > 0) return;
  }
}

function* knownInputs(
  { step, references }: StepNode,
  { params, counts }: KnownSteps,
): Generator<[number | undefined, Record<string, unknown>]> {
  const resolved = (item: unknown): Record<string, unknown> =>
    resolveReferences(step.input, (reference) => {
      if (reference.kind === 'param') return paramOf(params, reference.param);
      if (reference.kind === 'each param') return item;
      if (reference.kind !== 'all') return PLACEHOLDER_URL;
      const count = Math.min(counts.get(reference.step)?.outputsAsked ?? 1, MOST_GENERATIONS);
      return Array<string>(count).fill(PLACEHOLDER_URL);
    });
  const fan = fanOf(references);
  const list = fan?.kind === 'each param' ? paramOf(params, fan.param) : undefined;
  if (!Array.isArray(list)) yield [undefined, resolved(PLACEHOLDER_URL)];
  else for (const [index, item] of list.slice(0, MOST_GENERATIONS).entries()) yield [index, resolved(item)];
}

/** A reference to a step stands for files of the kind that its model makes: the field must take such. */
function* checkMedia({ name, step, references }: StepNode, { nodes }: KnownSteps): Generator<Mistake> {
  const model = findModel(step.model);
  if (model === undefined) return;
  for (const { path, reference } of references) {
    const source = 'step' in reference ? nodes.get(reference.step) : undefined;
    const made = source === undefined ? undefined : findModel(source.step.model)?.output;
    const field = contentAt(model, path.slice(`steps.${name}.input.`.length).split('.'));
    if (source === undefined || made === undefined || field === undefined) continue;
    const wrong = whyUnfit(reference, field, made);
    if (wrong !== undefined) {
      yield { path, message: `${wrong}; step ${source.name} makes ${A[made]} (${source.step.model})` };
    }
  }
}

const A = { image: 'an image', video: 'a video', audio: 'audio', embedding: 'a voice embedding' } as const;

function whyUnfit(reference: Reference, field: FieldContent, made: keyof typeof A): string | undefined {
  if (field === 'text') return 'takes a text, and a reference stands for the URL of a file';
  if (field === 'other') return 'takes no file, and a reference stands for the URL of one';
  if (field.files !== made) return `takes ${A[field.files]}`;
  if (reference.kind === 'all' && !field.many)
    return 'takes one file, and { "$all": … } stands for a list: write { "$from": … }';
  if (reference.kind !== 'all' && field.many)
    return 'takes a list: write { "$all": … }, or a reference in brackets';
  return undefined;
}

/** `"$still.url"`, `"${still}"`, `{ "from": "still" }` where a file is meant: the right form is told. */
function* checkAlmostReferences({ name, step }: StepNode, { names }: KnownSteps): Generator<Mistake> {
  const model = findModel(step.model);
  if (model === undefined) return;
  for (const [field, value] of Object.entries(step.input)) {
    if (typeof contentAt(model, [field]) !== 'object') continue;
    const listed: [string, unknown][] = Array.isArray(value)
      ? value.map((one, index) => [`${field}.${index}`, one])
      : [[field, value]];
    for (const [path, one] of listed) {
      const meant = meantStep(one, names);
      if (meant !== undefined) {
        const message = `is no reference: write { "$from": ${JSON.stringify(meant)} } for the URL of an output of step ${meant}`;
        yield { path: `steps.${name}.input.${path}`, message };
      }
    }
  }
}

function meantStep(value: unknown, names: Names): string | undefined {
  if (typeof value === 'string') {
    const [, word] = /^\$\{?([A-Za-z0-9][\w-]{0,63})/.exec(value) ?? [];
    if (word === undefined) return undefined;
    return names.has(word) ? word : names.nearest(word);
  }
  if (!isRecord(value)) return undefined;
  const { from, each, all } = value;
  const word = [from, each, all].find((one) => typeof one === 'string');
  return word !== undefined && names.has(word) ? word : undefined;
}
