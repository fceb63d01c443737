import { MOST_NUMBER } from '../limits.ts';
import type { StepItem, StepResult } from '../pipeline.ts';
import { type Origins, outputName } from '../purchases/origins.ts';
import { type Reference, resolveReferences } from './references.ts';

/** An output of a step, for those that refer to it. */
export interface Output {
  url: string;
  /** Its stored copy's URI. */
  stored?: string;
  /** What it is, whatever its URL: see origins.ts. */
  name: string;
  /** How long it lasts, where it is heard or seen as it runs, as far as is known. */
  seconds?: number;
}

/** A step that has ended, for those that refer to it. */
export interface Source {
  status: StepResult['status'];
  outputs: readonly Output[];
}

/** What an item of a fan-out takes. */
export type Taken = { output: Output } | { value: unknown };

export type Resolved =
  | { input: Record<string, unknown>; origins: Origins }
  /** The step that lacks such an output after all, and what it has. */
  | { step: string; missing: string };

/** The outputs of a generation that has ended. */
export function outputsOf(item: StepItem): Output[] {
  if (item.status !== 'COMPLETED') return [];
  const { result } = item;
  return result.outputs.map(({ url, stored, duration }, index) => ({
    url,
    stored: stored.uri,
    name: outputName(result, index),
    ...(duration !== null && isLength(duration) ? { seconds: duration } : {}),
  }));
}

/** The API's own word may be any number. */
function isLength(seconds: number): boolean {
  return seconds > 0 && seconds <= MOST_NUMBER;
}

/** How long the sources last that steps have made, by the field that takes one. @param origins of an input */
export function secondsOf(
  origins: Origins,
  made: (step: string, name: string) => Output | undefined,
): { sourceSeconds?: Record<string, number> } {
  const known = Object.entries(origins).flatMap(
    ([
      path,
      {
        reference,
        outputs: [name, ...others],
      },
    ]) => {
      if (!('step' in reference) || name === undefined || others.length > 0) return [];
      const seconds = made(reference.step, name)?.seconds;
      return seconds === undefined ? [] : [[path, seconds] as const];
    },
  );
  return known.length === 0 ? {} : { sourceSeconds: Object.fromEntries(known) };
}

/** A step's input with every reference as what it stands for. */
export function resolveInput(
  template: Record<string, unknown>,
  sources: ReadonlyMap<string, Source>,
  params: Readonly<Record<string, unknown>>,
  taken: Taken | undefined,
): Resolved {
  const origins: Origins = {};
  let lack: { step: string; missing: string } | undefined;
  const note = (path: string, reference: Reference, outputs: readonly Output[]): void => {
    origins[path] = { reference, outputs: outputs.map(({ name }) => name) };
  };
  const input = resolveReferences(template, (reference, path) => {
    switch (reference.kind) {
      case 'param':
        return Object.hasOwn(params, reference.param) ? params[reference.param] : undefined;
      case 'each param':
        return taken !== undefined && 'value' in taken ? taken.value : undefined;
      case 'each':
        if (taken === undefined || !('output' in taken)) return undefined;
        note(path, reference, [taken.output]);
        return taken.output.url;
      case 'all': {
        const outputs = sources.get(reference.step)?.outputs ?? [];
        note(path, reference, outputs);
        return outputs.map(({ url }) => url);
      }
      case 'from': {
        const { step, output: index } = reference;
        const { status = 'FAILED', outputs = [] } = sources.get(step) ?? {};
        const output = outputs[index];
        if (output === undefined) {
          const missing = `ended as ${status} with ${outputs.length} output(s): there is no output ${index}`;
          lack ??= { step, missing };
          return undefined;
        }
        note(path, reference, [output]);
        return output.url;
      }
      default:
        return reference satisfies never;
    }
  });
  return lack ?? { input, origins };
}
