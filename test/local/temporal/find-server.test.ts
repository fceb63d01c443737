import { chmod, copyFile, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { findServer } from '../../../src/local/temporal/find-server.ts';
import { readPinnedCli } from '../../../src/local/temporal/pinned-cli.ts';
import { TemporalUnavailableError } from '../../../src/local/temporal/temporal-unavailable-error.ts';
import { eventually } from '../../eventually.ts';

let folder: string;
let bin: string;
let cache: string;
let env: NodeJS.ProcessEnv;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'darkroom-find-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  bin = join(folder, 'bin');
  cache = join(folder, 'cache');
  await mkdir(bin);
  await mkdir(cache);
  // No internet: the SDK's download goes through a proxy that is not there.
  env = { PATH: bin, HOME: folder, DARKROOM_CACHE: cache, HTTPS_PROXY: 'http://127.0.0.1:1' };
});

function find(more: NodeJS.ProcessEnv = {}) {
  return findServer({ env: { ...env, ...more }, progress: { update: () => {}, end: () => {} } });
}

async function program(path: string, script: string): Promise<string> {
  await writeFile(path, `#!/bin/sh\nPATH=/usr/bin:/bin\n${script}\n`);
  await chmod(path, 0o755);
  return path;
}

const installed = (server: string) =>
  program(join(bin, 'temporal'), `echo "temporal version 1.0.0 (Server ${server}, UI 2.50.1)"`);
const cached = async () => program(join(cache, (await readPinnedCli()).fileName), 'true');

test('TEMPORAL_ADDRESS goes before everything else', async () => {
  await installed('1.31.2');
  expect(await find({ TEMPORAL_ADDRESS: 'temporal.internal:7233' })).toEqual({
    kind: 'running',
    address: 'temporal.internal:7233',
  });
});

test('the installed CLI goes before the cached one', async () => {
  await cached();
  const path = await installed('1.31.0');
  expect(await find({ TEMPORAL_ADDRESS: '' })).toEqual({ kind: 'binary', path });
});

test.each(['echo "temporal version 1.1.0 (Server 1.25.2, UI 2.31.2)"', 'echo hello', 'exit 1'])(
  'an installed `temporal` that is too old or something else (%s) is passed over',
  async (script) => {
    await program(join(bin, 'temporal'), script);
    const path = await cached();
    expect(await find()).toEqual({ kind: 'binary', path });
  },
);

/** A stand-in for go: says what go says, and puts a program where -o wants it. */
const builds = 'while [ "$1" != -o ]; do shift; done; cp "$0" "$2"';
const goThat = (build: string, list = 'echo "example.org/x\t/tmp"') =>
  program(join(bin, 'go'), `case "$*" in list*) ${list};; *" -o "*) ${build};; esac`);

test('Go builds into the cache, where it is found the next time', async () => {
  const go = await goThat(builds, 'echo "go: downloading example.org/x v1" >&2');
  const path = join(cache, (await readPinnedCli()).fileName);
  expect(await find()).toEqual({ kind: 'binary', path });
  expect(await readdir(cache)).toHaveLength(1);
  await rm(go);
  expect(await find()).toEqual({ kind: 'binary', path });
});

test('while Go builds, it is said which package of how many it compiles', async () => {
  const said: string[] = [];
  const progress = { update: (text: string) => said.push(text), end: () => undefined };
  const { version } = await readPinnedCli();
  const cli = 'github.com/temporalio/cli/cmd/temporal';
  // It goes on when the words have been said, so however slow the machine is.
  await goThat(
    `echo one >&2; until [ -e ${folder}/said ]; do sleep 0.05; done; echo ${cli} >&2; ${builds}`,
    `printf '%s\\n' "unsafe\t/tmp" "one\t/tmp" "two\t/tmp" "${cli}\t/tmp"`,
  );
  const found = findServer({ env, progress });
  await eventually(() =>
    expect(said).toContain(`Building Temporal ${version}, once: 1 of 3 packages; then it starts`),
  );
  await writeFile(join(folder, 'said'), '');
  await found;
});

test('what Go has compiled is kept for the next try where a build fails, and goes when it is done', async () => {
  await goThat('mkdir -p "$GOCACHE" && echo half > "$GOCACHE/compiled"; exit 1');
  await expect(find()).rejects.toThrow('go build ended with code 1');
  await goThat(`grep half "$GOCACHE/compiled" >/dev/null || exit 1; ${builds}`);
  const path = join(cache, (await readPinnedCli()).fileName);
  expect(await find()).toEqual({ kind: 'binary', path });
  expect(await readdir(cache)).toHaveLength(1);
});

test("a build cache that the environment names is the user's own, and stays", async () => {
  const own = join(folder, 'own');
  await goThat(`mkdir -p "$GOCACHE" && echo kept > "$GOCACHE/compiled"; ${builds}`);
  await find({ GOCACHE: own });
  expect(await readdir(own)).toEqual(['compiled']);
});

test('of two builds at the same time both succeed, and one binary remains', async () => {
  await goThat(`sleep 0.2; ${builds}`);
  const [first, second] = await Promise.all([find(), find()]);
  expect(first).toEqual(second);
  expect(await readdir(cache)).toHaveLength(1);
});

test('a build that fails because another one was done first takes what that one has built', async () => {
  const path = join(cache, (await readPinnedCli()).fileName);
  await goThat(`cp "$0" ${path}; exit 1`);
  expect(await find()).toEqual({ kind: 'binary', path });
});

test('without any way to a server, one error names each way, why it failed, and what would help', async () => {
  const error = await find().catch((thrown: unknown) => thrown);
  if (!(error instanceof TemporalUnavailableError)) throw error;
  expect(error.attempts.map(({ way }) => way)).toEqual([
    '`temporal` on the PATH',
    'the cache',
    "the Temporal SDK's download",
    'building it with Go',
  ]);
  expect(error.attempts.map(({ reason }) => reason)).toEqual([
    'there is none',
    `there is no ${join(cache, (await readPinnedCli()).fileName)}`,
    expect.stringMatching(/^failed to download .*refused/),
    'Go is not installed (no `go` on the PATH)',
  ]);
  expect(error.message).toMatch(/TEMPORAL_ADDRESS=[^]*Temporal CLI[^]*Go 1\.\d+\.\d+ or newer/);
  expect(await readdir(cache)).toEqual([]);
});

test.each([
  ['go list', 'exit 0', 'fails'],
  ['go build', 'fails', 'exit 0'],
])(
  "where %s fails, go's last words are told and nothing that looks finished is left",
  async (what, ...parts) => {
    const fails = 'echo "go: go.mod requires go >= 1.99 (running go 1.22.1)" >&2; exit 1';
    const [build, list] = parts.map((part) => (part === 'fails' ? fails : part));
    await goThat(`echo some/package >&2; ${build}`, list);
    await expect(find()).rejects.toThrow(
      `building it with Go: ${what} ended with code 1\n      go: go.mod requires go >= 1.99 (running go 1.22.1)\nAny`,
    );
    expect(await readdir(cache)).toEqual([]);
  },
);

test('a cache that cannot be written is one more reason', async () => {
  const file = join(folder, 'file');
  await copyFile(await program(join(bin, 'go'), 'exit 1'), file);
  await expect(find({ DARKROOM_CACHE: join(file, 'cache') })).rejects.toThrow(/ENOTDIR.*DARKROOM_CACHE/);
});
