import { z } from 'zod';
import { strict } from './config/strict.ts';

/** One thing that the API specification does not show: what may stand there, what we took, and what it is. */
export interface Guess<S extends z.ZodType> {
  schema: S;
  usual: z.output<S>;
  /** For docs/emulator.md, which `npm run assumptions` writes. */
  says: string;
}

export function guess<S extends z.ZodType>(schema: S, usual: z.output<NoInfer<S>>, says: string): Guess<S> {
  return { schema, usual, says };
}

/** As `guess`, for a table: what is said about some of its entries leaves the others as they are. */
export function table<
  Key extends string,
  Value extends z.ZodType,
  Usual extends Partial<Record<Key, z.output<Value>>>,
>(
  keys: readonly Key[],
  value: Value,
  usual: Usual,
  says: string,
): Guess<z.ZodType<Partial<Record<Key, z.output<Value>>> & Usual, Partial<Record<Key, z.input<Value>>>>> {
  const entries = keys.map((key) => [key, z.exactOptional(value)] as const);
  const schema = strict(Object.fromEntries(entries)).transform((some) => ({ ...usual, ...some }));
  // The shape is made of the keys, which TypeScript cannot follow through `fromEntries`.
  return guess(
    schema as unknown as z.ZodType<
      Partial<Record<Key, z.output<Value>>> & Usual,
      Partial<Record<Key, z.input<Value>>>
    >,
    usual,
    says,
  );
}
