import { FAILURES } from '../../src/contract/failures/failures.ts';

/** `src/client/failures/failure-classes.ts`: a class for each failure, documented by what it means. */
export function classFile(): string {
  const classes = Object.values(FAILURES).map(
    ({ error, means }) =>
      `/** ${means} */\nexport class ${error} extends RunFailedError {\n  override readonly name = '${error}';\n}\n`,
  );
  return [
    '/** Written by `npm run failures` from the table in the contract; not to be edited. */',
    "import { RunFailedError } from './run-failed-error.ts';\n",
    ...classes,
  ].join('\n');
}
