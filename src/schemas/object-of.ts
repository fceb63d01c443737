export type Schema = Readonly<Record<string, unknown>>;

export const DRAFT = 'https://json-schema.org/draft/2020-12/schema';

/** An object with these fields and no others. */
export function objectOf(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[] = [],
): Schema {
  return {
    type: 'object',
    additionalProperties: false,
    properties,
    ...(required.length === 0 ? {} : { required }),
  };
}
