/** What a command hands back: one document for `--json`, and the same for people. */
export interface Answer {
  json: unknown;
  text: string;
}
