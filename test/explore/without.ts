import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What keeps the promise, and can be taken out again: a text in a file of the sources, and what stands there without it. */
interface Mend {
  /** What Darkroom does without it. */
  does: string;
  file: string;
  text: string;
  without: string;
  /** A cell that has to show it. */
  cell: string;
  /** It takes luck: the cell is played some times. */
  byChance?: true;
}

const MENDS = {
  'earlier-purchases': {
    does: 'does not look what earlier runs have bought',
    file: 'src/activities/generation/earlier-purchases.ts',
    text: 'if (request.firstRunId === runId && earlierRun === undefined && parent === undefined) return undefined;',
    without: 'return undefined;',
    cell: 'happy/event workflow-execution-completed#1/reset to 1',
  },
  'own-past': {
    does: 'takes a submit that was in flight at the point of a Reset for its own past',
    file: 'src/activities/generation/earlier-purchases.ts',
    text: 'const own = readPurchases(found.own).endedSubmits;',
    without:
      'const past = readPurchases(found.own);\n  const own = past.unknownSubmits.length === 0 ? past.endedSubmits : past.unknownSubmits;',
    cell: 'a slow answer, looked at/answered POST#1/reset to 2',
    byChance: true,
  },
  'workflow-retries': {
    does: 'takes a run that Temporal has retried for one that knows what was bought',
    file: 'src/temporal/history.ts',
    text: 'if (start.initiator === CONTINUE_AS_NEW_INITIATOR_WORKFLOW) return',
    without: 'if (start.initiator !== undefined) return',
    cell: 'happy/answered POST#1/workflow retry',
  },
  'given-up': {
    does: 'forgets a submit that an earlier run has given up',
    file: 'src/activities/generation/purchases.ts',
    text: 'if (unknownSubmit !== undefined) givenUp.push({ ...unknownSubmit, inFlight: false, givenUp: true });',
    without: '',
    cell: 'given up, then refused/event workflow-execution-failed#1/later, run again',
  },
  'another-seed': {
    does: 'looks for the task of a submit by another seed than it was sent with',
    file: 'src/workflows/generation/claim.ts',
    text: 'inputOf(run, state, seed)',
    without: 'inputOf(run, state, undefined)',
    cell: 'rejected, another seed lost/sent POST#2/reset to 1',
  },
  'open-looks': {
    does: 'buys again while a task is looked at that may be the one',
    file: 'src/activities/unclaimed-tasks/open-looks.ts',
    text: '  if (gaveUpAt === undefined) return undefined;',
    without: '  if (gaveUpAt !== Infinity) return undefined;',
    cell: 'bought again, told meanwhile/before unclaimed-tasks:surveyTasks#1/worker killed',
    byChance: true,
  },
  fence: {
    does: 'submits what nobody waits for any more, when its process goes on',
    file: 'src/activities/generation/still-wanted.ts',
    text: '    while (this.#mayBeUnwanted()) {',
    without: '    while (this.#heartbeat < 0) {',
    cell: 'happy, hasty/before submitTask#1/worker frozen and thawed',
    byChance: true,
  },
  'in-flight': {
    does: 'does not wait for a request that may still be accepted',
    file: 'src/workflows/generation/transitions.ts',
    text: 'const open = unknown.inFlight ? policy.submit.timeout : 0;',
    without: 'const open = 0;',
    cell: 'a slow accept/sent POST#1/reset to 1',
    byChance: true,
  },
  audit: {
    does: 'does not look whether its answers have arrived',
    file: 'src/activities/generation/submit-audit.ts',
    text: '    await handOver(workspace, credits > 0 ? { ...task, credits } : task);',
    without: '    void [handOver, task];',
    cell: 'happy, never told/after submitTask#1/reset to 1',
  },
} as const satisfies Record<string, Mend>;

export type MendName = keyof typeof MENDS;

export const MEND_NAMES = Object.keys(MENDS) as MendName[]; // the keys of a constant

/** Those that their cell shows each time. */
export const SEEN_EACH_TIME = MEND_NAMES.filter((name) => !('byChance' in MENDS[name]));

export function isMendName(name: string): name is MendName {
  return Object.hasOwn(MENDS, name);
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const COPIED = ['src', 'emulator', 'test', 'tools', 'docs/schemas', 'package.json', 'tsconfig.json'];

/**
 * A copy of the sources without one mend.
 *
 * @returns its folder, and how to get rid of it
 * @throws Error where the sources do not have the text any more
 */
async function copyWithout(name: MendName): Promise<{ folder: string; remove: () => Promise<void> }> {
  const { file, text, without } = MENDS[name];
  const source = await readFile(join(ROOT, file), 'utf8');
  if (source.split(text).length !== 2)
    throw new Error(`${file} does not have the text of the mend ${name} once`);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-without-'));
  for (const path of COPIED) await cp(join(ROOT, path), join(folder, path), { recursive: true });
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
  await writeFile(
    join(folder, file),
    source.replace(text, () => without),
  );
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}

/**
 * Plays the cell that has to show what a mend is for, or another one, with sources that lack it.
 *
 * @returns the exit code of the explorer there: 1 where it has seen something
 */
export async function exploreWithout(
  name: MendName,
  cell: string = MENDS[name].cell,
  times = 1,
): Promise<number> {
  const { folder, remove } = await copyWithout(name);
  try {
    const given = ['test/explore/main.ts', '--cell', cell, '--times', String(times)];
    const child = spawn(process.execPath, given, { cwd: folder, stdio: 'inherit' });
    const [code] = (await once(child, 'exit')) as [number | null];
    return code ?? FAILED;
  } finally {
    await remove();
  }
}

/** As main.ts ends where it could not explore. */
const FAILED = 3;
