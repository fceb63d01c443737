import leven from 'leven';
import { ConfigError, type Problem } from './config-error.ts';
import { VARIABLE_NAMES, type Variable } from './variables.ts';

/** Reads variables and remembers everything that was wrong, so that it can all be told at once. */
export class SettingsReader {
  readonly problems: Problem[] = [];
  readonly #env: NodeJS.ProcessEnv;

  constructor(env: NodeJS.ProcessEnv) {
    this.#env = env;
  }

  /** The variable's value; undefined when it is not set, empty, or wrong (which is remembered). */
  read<T>({ name, example, parse }: Variable<T>): T | undefined {
    const text = this.text(name);
    if (text === undefined) return undefined;
    const parsed = parse(text, this.#env);
    if ('value' in parsed) return parsed.value;
    this.problems.push({ setting: name, wrong: parsed.wrong, example });
    return undefined;
  }

  /** As `read`, and a problem when it is not set. */
  require<T>(variable: Variable<T>): T | undefined {
    if (this.text(variable.name) === undefined) {
      this.problems.push({ setting: variable.name, wrong: 'is not set', example: variable.example });
    }
    return this.read(variable);
  }

  /** Reports variables that look like ours, mistyped: they would have no effect, silently. */
  refuseMistyped(): void {
    for (const name of Object.keys(this.#env)) {
      if (!name.startsWith('DARKROOM') || VARIABLE_NAMES.includes(name)) continue;
      const meant = VARIABLE_NAMES.find((known) => leven(name, known) <= 2);
      if (meant === undefined || this.#env[name] === '') continue;
      this.problems.push({
        setting: name,
        wrong: `is not a setting (did you mean ${meant}?)`,
        example: `${meant}=…`,
      });
    }
  }

  /** @throws ConfigError when anything was wrong */
  check(): void {
    if (this.problems.length > 0) throw new ConfigError(this.problems);
  }

  text(name: string): string | undefined {
    const value = this.#env[name]?.trim();
    return value === '' ? undefined : value;
  }
}
