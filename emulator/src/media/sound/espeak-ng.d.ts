/** The part of the package that we use; it brings no types. */
declare module 'espeak-ng' {
  interface EspeakModule {
    FS: {
      writeFile(path: string, data: string): void;
      readFile(path: string): Uint8Array;
    };
  }

  /** Runs the espeak-ng program once with these arguments, in a file system of its own. */
  export default function EspeakNg(options: {
    arguments: readonly string[];
    preRun?: readonly ((module: EspeakModule) => void)[];
    print?: (line: string) => void;
    printErr?: (line: string) => void;
  }): Promise<EspeakModule>;
}
