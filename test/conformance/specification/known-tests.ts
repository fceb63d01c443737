import { createVitest } from 'vitest/node';
import type { Proof } from './row.ts';

/**
 * The proofs that no test is found for, as sentences. Collects the tests of the files that are named, without
 * running them; a test that is skipped or still to do proves nothing.
 */
export async function missingTests(root: string, proofs: readonly Proof[]): Promise<string[]> {
  const wanted = [...new Set(proofs.map(({ file }) => file))];
  const vitest = await createVitest('test', {
    root,
    run: true,
    watch: false,
    reporters: [],
    project: 'unit',
  });
  try {
    const { testModules, unhandledErrors } = await vitest.collect(wanted);
    const titles = new Map(
      testModules.map(({ relativeModuleId, children }) => [
        relativeModuleId,
        [...children.allTests()]
          .filter(({ options }) => options.mode === 'run')
          .map(({ fullName }) => fullName),
      ]),
    );
    return [
      ...unhandledErrors.map((error) => `the tests cannot be collected: ${String(error)}`),
      ...distinct(proofs)
        .filter(({ file, title }) => !titles.get(file)?.some(matching(title)))
        .map(({ file, title }) =>
          titles.has(file) ? `${file} has no test "${title}"` : `there is no test file ${file}`,
        ),
    ];
  } finally {
    await vitest.close();
  }
}

function matching(title: string): (fullName: string) => boolean {
  if (!title.includes('*')) return (fullName) => fullName === title;
  const parts = title.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  const pattern = new RegExp(`^${parts.join('.+')}$`, 's');
  return (fullName) => pattern.test(fullName);
}

function distinct(proofs: readonly Proof[]): Proof[] {
  return [...new Map(proofs.map((proof) => [`${proof.file} ${proof.title}`, proof])).values()];
}
