/** What a text says as JSON; undefined where it is none (JSON itself cannot say undefined). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
