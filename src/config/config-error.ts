/** One setting that is wrong. Neither `wrong` nor `example` ever holds a key or a secret. */
export interface Problem {
  /** The variable's name, for the file `DARKROOM_CONFIG` with the path in it. */
  setting: string;
  /** Reads on from the setting: `is not set`, `is "80x", but must be …`. */
  wrong: string;
  /** What a right value looks like, as one would write it. */
  example: string;
}

/** The configuration cannot be used. The message lists everything that is wrong with it, a line each. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems.map(describe).join('\n'));
    this.problems = problems;
  }
}

function describe({ setting, wrong, example }: Problem): string {
  return `${setting} ${wrong}; example: ${example}`;
}
