import { spawn } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { EMULATOR_PACKAGE, PACKAGE } from '../../src/package/name.ts';
import type { Project } from './empty-project.ts';
import { oneTestOfAService } from './one-test-check.ts';
import { run } from './run.ts';

/** All but what only a bundle of workflows can load. */
const ENTRIES = [
  PACKAGE,
  ...['api', 'models', 'pipeline', 'testing', 'worker'].map((entry) => `${PACKAGE}/${entry}`),
  EMULATOR_PACKAGE,
];

/** What somebody relies on who has both packages, by what it is. */
export const FULL_CHECKS: Readonly<Record<string, (project: Project) => Promise<string | void>>> = {
  async 'the demo makes three files'(project) {
    await project.run('npx', PACKAGE, 'demo');
    const entries = await readdir(join(project.folder, 'outputs'), { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    const kinds = files.map((file) => file.split('.').at(-1)).sort();
    if (files.length !== 3) throw new Error(`it made ${files.length}: ${files.join(', ')}`);
    return kinds.join(', ');
  },

  async 'every entry can be imported and required'(project) {
    await project.write('every.mjs', ENTRIES.map((name) => `await import('${name}');`).join('\n'));
    await project.write('every.cjs', ENTRIES.map((name) => `require('${name}');`).join('\n'));
    for (const program of ['every.mjs', 'every.cjs']) await project.run('node', program);
  },

  async "every entry has its types with TypeScript's default settings, old and new"(project) {
    const names = [...(await exportedNames()), EMULATOR_PACKAGE];
    await project.write(
      'every.ts',
      names.map((name, index) => `import * as m${index} from '${name}';`).join('\n'),
    );
    // The fifth looks for modules as Node 10 did, unless it is told otherwise: by `typesVersions`, not by `exports`.
    for (const version of ['5', 'latest']) {
      await project.install(`typescript@${version}`, '@types/node@22');
      await project.run('npx', 'tsc', '--noEmit', '--skipLibCheck', 'every.ts');
    }
    return names.length.toString();
  },

  async 'each program loads every command for its help'(project) {
    for (const program of [PACKAGE, 'darkroom']) {
      const help = await project.run('npx', program, '--help');
      if (!help.includes('rerun')) throw new Error(`npx ${program} printed ${help}`);
    }
  },

  async 'a service finishes against the development'(project) {
    const dev = spawn('npx', [PACKAGE, 'dev', '--fresh'], {
      cwd: project.folder,
      env: { ...project.env, EMULATOR_SPEED: '50' },
      detached: true,
    });
    try {
      const variables = await variablesOf(dev.stdout);
      await project.install('typescript', '@types/node@22');
      await project.copy('examples/typescript/service.ts', 'service.mts');
      await project.copy('examples/typescript/service.cts', 'service.cts');
      await project.run(
        'npx',
        'tsc',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--skipLibCheck',
        '--types',
        'node',
        'service.mts',
        'service.cts',
      );
      for (const service of ['service.mjs', 'service.cjs']) {
        const printed = await run('node', [service, `film-of-${service}`], {
          cwd: project.folder,
          env: { ...project.env, ...variables },
        });
        if (!/^still: file:.*\nclip: file:.*\n$/.test(printed))
          throw new Error(`${service} printed ${printed}`);
      }
    } finally {
      if (dev.pid !== undefined) process.kill(-dev.pid, 'SIGTERM');
    }
  },

  async "a service's own test asserts that it is charged once"(project) {
    await project.copy('examples/typescript/charged-once.test.mjs', 'charged-once.test.mjs');
    await project.run('node', '--test', 'charged-once.test.mjs');
  },

  'a service uploads, follows, is called back and downloads in one test': oneTestOfAService,

  async 'workflows and plugin go into a Worker of its own'(project) {
    await project.write('workflows.mjs', WORKFLOWS);
    await project.write('worker.mjs', WORKER);
    const made = await project.run('node', 'worker.mjs');
    if (!made.includes('bundled')) throw new Error(`it printed ${made}`);
  },
};

/** What package.json exports with types. */
async function exportedNames(): Promise<string[]> {
  const manifest = JSON.parse(await readFile('package.json', 'utf8')) as { exports: Record<string, unknown> };
  const typed = Object.entries(manifest.exports).filter(([, target]) => typeof target === 'object');
  return typed.map(([path]) => posix.join(PACKAGE, path));
}

const WORKFLOWS = `import { generate } from '${PACKAGE}/workflow';
export async function film(prompt) {
  const { outputs } = await generate('image-l', { prompt });
  return outputs[0].url;
}
`;

/** The bundle is what can go wrong in a stranger's folder; what it does is tested where it is made. */
const WORKER = `import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode } from '@temporalio/worker';
import { darkroomPlugin } from '${PACKAGE}/worker';
const workflowsPath = fileURLToPath(new URL('workflows.mjs', import.meta.url));
const { code } = await bundleWorkflowCode({ workflowsPath, plugins: [darkroomPlugin()] });
if (!code.includes('film')) throw new Error('the workflow is missing');
console.log('bundled', code.length);
`;

/** What `dev` tells others to export, as soon as it is up. */
async function variablesOf(stdout: NodeJS.ReadableStream): Promise<Record<string, string>> {
  let text = '';
  for await (const chunk of stdout) {
    text += String(chunk);
    const found = [...text.matchAll(/export (\w+)=(\S+)/g)].map(([, name, value]) => [name, value]);
    if (/generate image-l/.test(text)) return Object.fromEntries(found);
  }
  throw new Error(`dev has ended: ${text}`);
}
