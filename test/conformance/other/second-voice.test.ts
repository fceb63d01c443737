import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { patience } from '../../patience.ts';
import { readImplementation } from '../service/implementation.ts';
import { ABOUT, KEY, PlainService } from './plain-service.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

interface Told {
  fullName: string;
  status: 'passed' | 'failed' | 'skipped' | 'pending';
}

/** The suite, as somebody runs it against another implementation. @returns what became of each test */
async function suite(environment: Record<string, string>): Promise<Told[]> {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const report = join(folder, 'report.json');
  const vitest = [join(ROOT, 'node_modules/vitest/vitest.mjs'), 'run', '--project', 'unit'];
  const options = ['test/conformance/service.test.ts', '--reporter=json', `--outputFile=${report}`];
  try {
    // It ends with 1 where a test fails: the report tells which.
    await promisify(execFile)(process.execPath, [...vitest, ...options], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', ...environment },
    }).catch(() => undefined);
    const { testResults } = JSON.parse(await readFile(report, 'utf8')) as {
      testResults: { assertionResults: Told[] }[];
    }; // as vitest writes it
    return testResults.flatMap(({ assertionResults }) => assertionResults);
  } finally {
    await rm(folder, { recursive: true });
  }
}

const namesOf = (told: readonly Told[], status: Told['status']): string[] =>
  told.filter((one) => one.status === status).map(({ fullName }) => fullName);

it('an implementation that is not ours is held to what it does not say that it lacks', {
  timeout: patience(120_000),
}, async () => {
  await using service = await PlainService.start();
  const access = { CONFORMANCE_URL: `${service.url}/api/v1`, CONFORMANCE_API_KEY: KEY };
  const about = `${service.url}/about`;
  const told = await suite({ ...access, CONFORMANCE_IMPLEMENTATION: about });
  expect(namesOf(told, 'failed')).toEqual([]);
  const passed = namesOf(told, 'passed');
  expect(passed).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^submits image-l accepts its minimal and maximal inputs/),
      'submits video-k completes with an output of its kind',
      'refusals authentication with no key is refused with 401 UNAUTHORIZED everywhere',
      'credits the balance has whole credits in two pools and an expiry in UTC',
      'records GET generation/{id} answers 404 with PREDICTION_NOT_FOUND',
    ]),
  );
  const skipped = [...namesOf(told, 'skipped'), ...namesOf(told, 'pending')];
  expect(skipped).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^submits image-l refuses each input just outside of a limit/),
      'requests a form of any model means the same as the JSON',
      'events a task that completes tells so in signed events whose payload has every field',
    ]),
  );
});

it('what it does not say that it lacks is missed', { timeout: patience(120_000) }, async () => {
  await using service = await PlainService.start();
  const { limits: _, ...lacks } = ABOUT.lacks;
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const about = join(folder, 'about.json');
  await writeFile(about, JSON.stringify({ ...ABOUT, lacks }));
  const told = await suite({
    CONFORMANCE_URL: `${service.url}/api/v1`,
    CONFORMANCE_API_KEY: KEY,
    CONFORMANCE_IMPLEMENTATION: about,
    CONFORMANCE_MODELS: 'image-l,video-k',
  });
  await rm(folder, { recursive: true });
  const refuses = 'refuses each input just outside of a limit with INVALID_INPUT, and says which field';
  expect(namesOf(told, 'failed')).toEqual([`submits video-k ${refuses}`, `submits image-l ${refuses}`]);
});

it('a capability that the suite does not know is refused, with the one that was meant', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'conformance-'));
  const about = join(folder, 'about.json');
  await writeFile(about, JSON.stringify({ lacks: { form: 'it has none' } }));
  await expect(readImplementation(about)).rejects.toThrow(/form is not known here; did you mean forms\?/);
  await rm(folder, { recursive: true });
});
