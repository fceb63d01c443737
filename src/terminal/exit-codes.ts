/** A command line or a configuration that is wrong. */
export const USAGE = 2;
/** A shell's 128 + SIGINT. */
export const INTERRUPTED = 130;

/** Ends a program as commander would, but for the exit code of a wrong command line. For `exitOverride`. */
export function exitAsAsked({ exitCode }: { exitCode: number }): never {
  process.exit(exitCode === 0 ? 0 : USAGE);
}
