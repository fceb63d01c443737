import type { z } from 'zod';
import type { OfferedModel } from './model-routes.ts';

/**
 * The fields of a form as the JSON that they stand for. A form knows only text and files: text becomes the number,
 * boolean, list or object that the model's field takes, a name that is repeated (or ends in `[]`) becomes a list,
 * and a file becomes the URL that `upload` serves it under.
 *
 * @throws TypeError when the bytes are no such form
 */
export async function formInput(
  { model, override }: OfferedModel,
  bytes: Buffer,
  contentType: string,
  upload: (file: File) => Promise<string>,
): Promise<Record<string, unknown>> {
  // Node's own parser.
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': contentType },
  }).formData();
  const ourNames = new Map(Object.entries(override.fields ?? {}).map(([ours, wire]) => [wire, ours]));
  const input: [string, unknown][] = [];
  for (const written of new Set(form.keys())) {
    const name = written.replace(/\[\]$/, '');
    const texts = await Promise.all(
      form.getAll(written).map(async (value) => (typeof value === 'string' ? value : await upload(value))),
    );
    const ours = ourNames.get(name) ?? name;
    const schema = Object.hasOwn(model.fields, ours) ? model.fields[ours] : undefined;
    input.push([name, fieldValue(schema, texts)]);
  }
  return Object.fromEntries(input);
}

/** The first reading that the field's schema accepts; if none does, the text, for the validation to refuse. */
function fieldValue(schema: z.ZodType | undefined, texts: readonly string[]): unknown {
  const asText = texts.length === 1 ? texts[0] : texts;
  const readings = [asText, ...(texts.length === 1 ? texts.map(parsed) : []), texts, texts.map(parsed)];
  return readings.find((reading) => schema?.safeParse(reading).success === true) ?? asText;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
