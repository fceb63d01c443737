import type { z } from 'zod';
import type { FormParts } from '../http/multipart.ts';
import type { OfferedModel } from './model-routes.ts';

/**
 * The fields of a form as the JSON that they stand for. A form knows only text and files: text becomes the number,
 * boolean, list or object that the model's field takes, a name that is repeated (or ends in `[]`) becomes a list,
 * and a file becomes the URL that `upload` serves it under.
 */
export async function formInput(
  { model, override }: OfferedModel,
  parts: FormParts,
  upload: (file: File) => Promise<string>,
): Promise<Record<string, unknown>> {
  const ourNames = new Map(Object.entries(override.fields ?? {}).map(([ours, wire]) => [wire, ours]));
  const input: [string, unknown][] = [];
  for (const [written, values] of parts) {
    const name = written.replace(/\[\]$/, '');
    const texts = await Promise.all(
      values.map((value) => (typeof value === 'string' ? Promise.resolve(value) : upload(value))),
    );
    const ours = ourNames.get(name) ?? name;
    const schema = Object.hasOwn(model.fields, ours) ? model.fields[ours] : undefined;
    input.push([name, fieldValue(schema, texts)]);
  }
  return Object.fromEntries(input);
}

/** The first reading that the field's schema accepts; if none does, the text, for the validation to refuse. */
function fieldValue(schema: z.ZodType | undefined, texts: readonly string[]): unknown {
  const [single] = texts;
  const asText = texts.length === 1 ? single : texts;
  const readings = [asText, ...(texts.length === 1 ? [parsed(single ?? '')] : []), texts, texts.map(parsed)];
  return readings.find((reading) => schema?.safeParse(reading).success === true) ?? asText;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
