import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { PACKAGE } from '../../src/package/name.ts';
import { packagesAskedFor } from './asked-for.ts';
import type { Project } from './empty-project.ts';

/** A service that only starts work installs less than this (bytes). */
const MOST_BYTES = 60_000_000;

const NAMES = ['DarkroomClient', 'RunFailedError', 'ContentRejectedError', 'NoWorkerError', 'KeyInUseError'];

/** What nobody who only starts work may have to install. */
const HEAVY = ['@temporalio/worker', '@temporalio/core-bridge', 'sharp', 'webpack', '@aws-sdk/client-s3'];

/** What a service relies on that has the client alone, by what it is. */
export const CLIENT_CHECKS: Readonly<Record<string, (project: Project) => Promise<string | void>>> = {
  async 'the client alone is light'(project) {
    const bytes = await project.installedBytes();
    const size = `${(bytes / 1e6).toFixed(1)} MB`;
    if (bytes > MOST_BYTES)
      throw new Error(`${size} are installed; at most ${MOST_BYTES / 1e6} MB are meant to be`);
    const installed = new Set(
      (await readdir(join(project.folder, 'node_modules'), { recursive: true })).map((path) =>
        path.replaceAll('\\', '/'),
      ),
    );
    const heavy = HEAVY.filter((name) => installed.has(name));
    if (heavy.length > 0) throw new Error(`installed without need: ${heavy.join(', ')}`);
    return size;
  },

  async 'imported by an ES module'(project) {
    await project.write(
      'esm.mjs',
      `import * as darkroom from '${PACKAGE}';
import { MODELS } from '${PACKAGE}/models';
import { GENERATION_CODES } from '${PACKAGE}/api';
import schema from '${PACKAGE}/schemas/image-l.json' with { type: 'json' };
${assertions('schema')}`,
    );
    await project.run('node', 'esm.mjs');
  },

  async 'required by a CommonJS module'(project) {
    await project.write(
      'commonjs.cjs',
      `const darkroom = require('${PACKAGE}');
const { MODELS } = require('${PACKAGE}/models');
const { GENERATION_CODES } = require('${PACKAGE}/api');
const schema = require('${PACKAGE}/schemas/image-l.json');
${assertions('schema')}`,
    );
    await project.run('node', 'commonjs.cjs');
  },

  async 'tells what to install where more is needed'(project) {
    await packagesAskedFor(project);
  },

  async 'type checks with the defaults and with all that is strict'(project) {
    await project.install('typescript', '@types/node@22');
    await project.copy('examples/typescript/service.ts', 'service.mts');
    await project.copy('examples/typescript/service.cts', 'service.cts');
    await project.write('defaults.json', config({}));
    await project.write('strict.json', config(STRICT));
    await project.write('strictest.json', config(STRICTEST));
    for (const name of ['defaults.json', 'strict.json', 'strictest.json'])
      await project.run('npx', 'tsc', '-p', name);
    // What the compiler has found out has to have names that others can import.
    await project.write('declared.mts', DECLARED);
    await project.write('declared.json', config({ ...STRICTEST, declaration: true }, ['declared.mts']));
    await project.run('npx', 'tsc', '-p', 'declared.json');
    // A wrong field has to be an error, or nothing was checked at all.
    await project.write('wrong.mts', WRONG);
    await project.write('wrong.json', config(STRICT, ['wrong.mts']));
    const errors = await project.run('npx', 'tsc', '-p', 'wrong.json').then(
      () => '',
      (reason: unknown) => String(reason),
    );
    for (const mistake of ["'promt'", '17:9', "'stil'"])
      if (!errors.includes(mistake)) throw new Error(`the compiler says nothing of ${mistake}: ${errors}`);
  },
};

const DECLARED = `import type { DarkroomClient } from '${PACKAGE}';
import { definePipeline } from '${PACKAGE}/pipeline';
export const film = definePipeline(({ step }) => {
  const still = step('image-l', { prompt: 'a red fox' });
  return { still, large: step('upscale-q', { image_url: still.each }) };
});
export const stepsOf = async (darkroom: DarkroomClient) => (await darkroom.run(film)).steps;
export const start = (darkroom: DarkroomClient) => darkroom.start({ ...film, allowPartial: true });
`;

const WRONG = `import { DarkroomClient } from '${PACKAGE}';
import { definePipeline } from '${PACKAGE}/pipeline';
const darkroom = await DarkroomClient.connect();
await darkroom.generate('image-l', { promt: 'a red fox' });
await darkroom.generate('image-l', { prompt: 'a red fox', aspect_ratio: '17:9' });
const film = definePipeline(({ step }) => ({ still: step('image-l', { prompt: 'a red fox' }) }));
(await darkroom.run(film)).steps.stil;
`;

const STRICT = {
  strict: true,
  skipLibCheck: false,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
};

/** Temporal's own declarations do not pass this one, so that libraries are left out. */
const STRICTEST = { ...STRICT, exactOptionalPropertyTypes: true, skipLibCheck: true };

/** As people have it who have set nothing but how modules are found. */
function config(options: object, files = ['service.mts', 'service.cts']): string {
  return JSON.stringify({
    compilerOptions: { module: 'nodenext', target: 'es2023', types: ['node'], noEmit: true, ...options },
    files,
  });
}

function assertions(schema: string): string {
  return `for (const name of ${JSON.stringify(NAMES)})
  if (typeof darkroom[name] !== 'function') throw new Error(name + ' is missing');
if (MODELS['image-l'].id !== 'image-l' || GENERATION_CODES.length === 0) throw new Error('no models');
if (${schema}.title !== 'image-l') throw new Error('no schema');
`;
}
