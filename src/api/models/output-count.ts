import { inputSchema } from './json-schema.ts';
import { findModel } from './registry.ts';

/** The fields that say how many files a task makes: the number of results, and of images for the model that has both. */
const COUNTS = ['n', 'num_images'] as const;

/**
 * How many outputs a task can make, as far as its input tells: the number of results times the number of images
 * of the one model that has both. A reference to an output beyond it can never be resolved.
 */
export function outputCount(input: Readonly<Record<string, unknown>>): number {
  return COUNTS.reduce((product, field) => product * atLeastOne(input[field]), 1);
}

/** The same where a template completes the input: what that leaves open may be as many as the model makes at most. */
export function mostOutputs(modelId: string, input: Readonly<Record<string, unknown>>): number {
  const model = findModel(modelId);
  const { properties = {} } = model === undefined ? {} : inputSchema(model);
  return COUNTS.reduce((product, field) => {
    const value = input[field];
    return product * atLeastOne(value === undefined ? properties[field]?.maximum : value);
  }, 1);
}

function atLeastOne(value: unknown): number {
  return typeof value === 'number' && value >= 1 ? value : 1;
}
