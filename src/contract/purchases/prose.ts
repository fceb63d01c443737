import { contentAt } from '../../api/models/json-schema.ts';
import { findModel } from '../../api/models/registry.ts';

/** By model, the fields that say what is made and not how much of it: texts and files. The price hangs on the rest. */
export function proseOf(models: readonly string[]): Record<string, string[]> {
  return Object.fromEntries(
    [...new Set(models)].map((id) => {
      const model = findModel(id);
      const fields = model === undefined ? [] : Object.keys(model.fields);
      return [
        id,
        fields.filter((field) => {
          const content = model === undefined ? undefined : contentAt(model, [field]);
          return content === 'text' || typeof content === 'object';
        }),
      ];
    }),
  );
}
