import { z } from 'zod';
import { closest } from '../../../src/api/text/closest.ts';

/** An object with these fields and no others; for an unknown one the error says which was meant. */
export function strict<const Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys'
        ? issue.keys?.map((key) => unknownName(key, Object.keys(shape))).join('; ')
        : undefined,
  });
}

/** "sumbitStatus is not known here; did you mean submitStatus?" */
export function unknownName(name: string, known: readonly string[]): string {
  const meant = closest(name, known);
  return `${name} is not known here; ${meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${meant}?`}`;
}
