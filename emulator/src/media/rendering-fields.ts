/**
 * A validated input as the renderings read it, under the contract's names. A field of another type than asked for
 * counts as absent: the validation has let pass what it lets pass.
 */
export class RenderingFields {
  readonly #input: Readonly<Record<string, unknown>>;

  constructor(input: Readonly<Record<string, unknown>>) {
    this.#input = input;
  }

  text(name: string): string | undefined {
    const value = this.#input[name];
    return typeof value === 'string' && value !== '' ? value : undefined;
  }

  number(name: string): number | undefined {
    const value = this.#input[name];
    return typeof value === 'number' ? value : undefined;
  }

  flag(name: string): boolean {
    return this.#input[name] === true;
  }

  /** The URLs of several fields, in order; each holds one, a list of them, or nothing. */
  urls(...names: string[]): string[] {
    return names.flatMap((name) => this.#input[name]).filter((value) => typeof value === 'string');
  }

  list(name: string): readonly unknown[] {
    const value = this.#input[name];
    return Array.isArray(value) ? value : [];
  }
}
