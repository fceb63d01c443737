/** Before that share is done, the pace says nothing. */
const TELLING_SHARE = 0.03;

/** What is to be compiled: each package's import path, with the bytes of its sources, which is what its time follows. */
export type Packages = ReadonlyMap<string, number>;

/** How far a build is, by its own pace on this machine. */
export class BuildPace {
  readonly #packages: Packages;
  readonly #bytes: number;
  readonly #startedAt: number;
  #begun = 0;
  #bytesBegun = 0;

  /** @param startedAt milliseconds, as `now` below */
  constructor(packages: Packages, startedAt: number) {
    this.#packages = packages;
    this.#bytes = [...packages.values()].reduce((sum, bytes) => sum + bytes, 0);
    this.#startedAt = startedAt;
  }

  begin(importPath: string): void {
    this.#begun += 1;
    this.#bytesBegun += this.#packages.get(importPath) ?? 0;
  }

  /** `412 of 1716 packages, about 3 min to go` */
  describe(now: number): string {
    const share = this.#bytesBegun / this.#bytes;
    const packages = `${this.#begun} of ${this.#packages.size} packages`;
    if (!(share >= TELLING_SHARE)) return packages;
    // What is compiled later takes longer for its bytes: two fifths of them are done after 80 of 250 s.
    const togo = ((now - this.#startedAt) / share) * (1 - share) * (2 - share);
    return `${packages}, ${inWords(togo)} to go`;
  }
}

function inWords(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  return minutes < 1 ? 'less than a minute' : `about ${minutes} min`;
}
