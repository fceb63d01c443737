/**
 * How many outputs a task can make, as far as its input tells: the number of results times the number of images
 * of the one model that has both. A reference to an output beyond it can never be resolved.
 */
export function outputCount(input: Readonly<Record<string, unknown>>): number {
  return atLeastOne(input['n']) * atLeastOne(input['num_images']);
}

function atLeastOne(value: unknown): number {
  return typeof value === 'number' && value >= 1 ? value : 1;
}
