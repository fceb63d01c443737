/** A part of a multipart form: the values of one name, in order. */
export type FormParts = Map<string, (string | File)[]>;

/**
 * Reads `multipart/form-data` with Node's own parser.
 *
 * @throws TypeError when the bytes are no such form
 */
export async function parseMultipart(bytes: Buffer, contentType: string): Promise<FormParts> {
  const form = await new Response(new Uint8Array(bytes), {
    headers: { 'content-type': contentType },
  }).formData();
  const parts: FormParts = new Map();
  for (const [name, value] of form) parts.set(name, [...(parts.get(name) ?? []), value]);
  return parts;
}
