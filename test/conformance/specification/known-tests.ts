import { createVitest } from 'vitest/node';
import { matching, type Proof } from './row.ts';

/** What a title says of a test that this machine lacks something for (test/emulator/dashboard/chromium.ts). */
const SKIPPED = / \(skipped: ([^)]+)\)/;

/**
 * The proofs that no test is found for, and those that this machine cannot give, as sentences. Collects the tests of
 * the files that are named, without running them; a test that is still to do proves nothing.
 */
export async function missingTests(
  root: string,
  proofs: readonly Proof[],
): Promise<{ missing: string[]; skipped: string[] }> {
  const wanted = [...new Set(proofs.map(({ file }) => file))];
  const vitest = await createVitest('test', {
    root,
    run: true,
    watch: false,
    reporters: [],
    project: ['unit', 'slow-unit'],
  });
  try {
    const { testModules, unhandledErrors } = await vitest.collect(wanted);
    const titles = new Map(
      testModules.map(({ relativeModuleId, children }) => [
        relativeModuleId,
        [...children.allTests()]
          .filter(({ options, fullName }) => options.mode === 'run' || SKIPPED.test(fullName))
          .map(({ fullName }) => fullName),
      ]),
    );
    const missing = unhandledErrors.map((error) => `the tests cannot be collected: ${String(error)}`);
    const skipped: string[] = [];
    for (const { file, title } of distinct(proofs)) {
      const isNamed = matching(title);
      const found = titles.get(file)?.find((name) => isNamed(name.replace(SKIPPED, '')));
      const [, why] = SKIPPED.exec(found ?? '') ?? [];
      if (found === undefined)
        missing.push(titles.has(file) ? `${file} has no test "${title}"` : `there is no test file ${file}`);
      else if (why !== undefined) skipped.push(`"${title}" cannot run here: ${why}`);
    }
    return { missing, skipped };
  } finally {
    await vitest.close();
  }
}

function distinct(proofs: readonly Proof[]): Proof[] {
  return [...new Map(proofs.map((proof) => [`${proof.file} ${proof.title}`, proof])).values()];
}
