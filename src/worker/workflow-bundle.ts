import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  type BundlerPlugin,
  bundleWorkflowCode,
  DefaultLogger,
  type WorkflowBundleOption,
} from '@temporalio/worker';
import { cacheDirectory } from '../config/cache-directory.ts';
import { CODE, IS_BUILT } from '../package/built.ts';
import type { Tracing } from '../temporal/tracing.ts';

const SOURCES = fileURLToPath(new URL('..', import.meta.url));
/** The rooms that workflows are made of (tools/rooms/rooms.ts), and the packages that go into their bundle. */
const ROOMS = ['package', 'api', 'policy', 'contract', 'workflows'];
const PACKAGES = ['@temporalio/workflow', '@temporalio/common', '@temporalio/worker'];
/** How it is made is a part of what it is made of. */
const HOW = join('worker', `workflow-bundle${CODE}`);
const PREFIX = 'workflows-';
/** Milliseconds: a month. Each change of the sources leaves one, of two megabytes. */
const FORGOTTEN = 30 * 24 * 3_600_000;

/** Every workflow of ours: what a bundle is made of. */
export const WORKFLOWS = join(SOURCES, 'workflows', `index${CODE}`);

/**
 * The workflows as the worker runs them: the published package holds the bundle, a clone makes it when it changed. With
 * spans it is made at each start.
 */
export async function workflowBundle(traces: Tracing | undefined): Promise<WorkflowBundleOption> {
  if (traces !== undefined) return await makeWorkflowBundle([traces.plugin]);
  return IS_BUILT ? { codePath: join(SOURCES, 'workflow-bundle.js') } : await cachedWorkflows();
}

/** Bundles the workflows as the worker runs them; takes about two seconds. */
export async function makeWorkflowBundle(plugins: BundlerPlugin[] = []): Promise<{ code: string }> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: WORKFLOWS,
    payloadConverterPath: join(SOURCES, 'workflows', `payload-converter${CODE}`),
    failureConverterPath: join(SOURCES, 'workflows', `failure-converter${CODE}`),
    // Evaluated once, and frozen: not for each workflow anew. So no module may hold state.
    preloadModules: [WORKFLOWS],
    plugins,
    logger: new DefaultLogger('ERROR'),
  });
  return { code };
}

/**
 * The bundle of a clone, kept between starts in the cache's folder: under a name that holds a hash of all that it is made of,
 * so it is never an old one. Where nothing can be kept, it is made anew each time.
 */
export async function cachedWorkflows(folder: string = cacheDirectory()): Promise<{ code: string }> {
  const name = `${PREFIX}${await hashOfSources()}.js`;
  const kept = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  if (kept !== undefined) return { code: kept };
  const bundle = await makeWorkflowBundle();
  await keep(folder, name, bundle.code).catch(() => undefined); // a folder that cannot be written is no trouble
  return bundle;
}

async function hashOfSources(): Promise<string> {
  const hash = createHash('sha256');
  const require = createRequire(import.meta.url);
  for (const one of PACKAGES) {
    const { version } = require(`${one}/package.json`) as { version: string }; // every package has one
    hash.update(`${one}@${version}\n`);
  }
  const files = await Promise.all(ROOMS.map((room) => readdir(join(SOURCES, room), { recursive: true })));
  const paths = files.flatMap((names, index) => names.map((name) => join(ROOMS[index] ?? '', name)));
  const sources = [...paths.filter((path) => /\.[jt]s$/.test(path)), HOW].sort();
  const texts = await Promise.all(sources.map((path) => readFile(join(SOURCES, path))));
  for (const [index, text] of texts.entries()) hash.update(`\n${sources[index]}\n`).update(text);
  return hash.digest('hex').slice(0, 32);
}

/** Written elsewhere first, so that nobody reads half of it. Those that nobody has made for long go. */
async function keep(folder: string, name: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const unfinished = join(folder, `.${name}-${randomUUID()}`);
  await writeFile(unfinished, code);
  await rename(unfinished, join(folder, name));
  for (const other of (await readdir(folder)).filter((other) => other.startsWith(PREFIX))) {
    const { mtimeMs } = await stat(join(folder, other));
    if (Date.now() - mtimeMs > FORGOTTEN) await rm(join(folder, other), { force: true });
  }
}
