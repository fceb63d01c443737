/** What a command hands back: one document for `--json`, and the same for people. */
export interface Answer {
  json: unknown;
  text: string;
  /** Whether it tells of something that has failed: the exit code is 1 then. */
  failed?: boolean;
}

/** Turns a function that answers into a command's action: the program prints what it hands back. */
export type Answering = <A extends unknown[]>(
  run: (...args: A) => Promise<Answer>,
) => (...args: A) => Promise<void>;
