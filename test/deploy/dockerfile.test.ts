import { existsSync, readFileSync } from 'node:fs';
import { cruise } from 'dependency-cruiser';
import { describe, expect, it } from 'vitest';
import { ROOT, readComposeFile } from './compose-file.ts';
import { copiedInto, instructionsOf, lastCommand, readStages } from './dockerfile.ts';
import { KNOWN_VARIABLES } from './known-variables.ts';

const stages = readStages();
const all = stages.flatMap(({ instructions }) => instructions);

describe('the Dockerfile', () => {
  it('copies what exists, and what .dockerignore lets in', () => {
    const ignore = readFileSync(`${ROOT}.dockerignore`, 'utf8');
    const letIn = new Set([...ignore.matchAll(/^!(.+)$/gm)].map(([, path = '']) => path));
    const copied = all
      .filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from='))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
    expect(copied.length).toBeGreaterThan(0);
    expect(copied.filter((source) => !existsSync(ROOT + source))).toEqual([]);
    expect(copied.filter((source) => !isWithin(source, letIn))).toEqual([]);
  });

  it.each([
    ['darkroom', 'dependencies', ['src/worker.ts', 'src/starter.ts', 'deploy/healthcheck.ts']],
    ['emulator', 'emulator-dependencies', ['emulator/src', 'deploy/healthcheck.ts']],
  ])('has all that the programs of the image %s import', async (image, install, programs) => {
    const { files, packages } = await importsOf(programs);
    expect(files.length).toBeGreaterThan(50);
    expect(files.filter((file) => !isWithin(file, new Set(copiedInto(image, stages))))).toEqual([]);
    const manifests = copiedInto(install, stages).filter((file) => file.endsWith('package.json'));
    const installed = new Set(manifests.flatMap(dependenciesOf));
    expect(packages.length).toBeGreaterThan(5);
    expect(packages.filter((name) => !installed.has(name))).toEqual([]);
  });

  it('keeps what only the emulator needs out of the image of the worker', () => {
    expect(copiedInto('dependencies', stages)).not.toContain('emulator/package.json');
    // The images take the one node_modules folder: npm must not have put anything beside it.
    expect(readFileSync(`${ROOT}package-lock.json`, 'utf8')).not.toMatch(
      /"(emulator|deploy)\/node_modules\//,
    );
  });

  it('copies from stages that it has, and builds on Node 24', () => {
    const names = new Set(stages.map(({ name }) => name));
    const bases = stages.map(({ from }) => from);
    expect(bases.filter((from) => !names.has(from) && !from.startsWith('node:24-'))).toEqual([]);
    const sources = all.flatMap(({ rest }) => /^--from=(\S+)/.exec(rest)?.[1] ?? []);
    expect(sources.length).toBeGreaterThan(0);
    expect(sources.filter((from) => !names.has(from))).toEqual([]);
  });

  it.each(['darkroom', 'emulator'])('runs and checks files of this project in the image %s', (name) => {
    const commands = [lastCommand('CMD', name, stages), lastCommand('HEALTHCHECK', name, stages)];
    expect(commands.map(([program]) => program)).toEqual(['node', 'node']);
    expect(commands.filter(([, file = '']) => !existsSync(ROOT + file))).toEqual([]);
  });

  it('runs the worker as its own last stage does, not as root, with production dependencies only', () => {
    expect(stages.at(-1)?.name).toBe('darkroom');
    expect(lastCommand('CMD', 'darkroom', stages)).toEqual(['node', 'src/worker.ts']);
    const done = instructionsOf('darkroom', stages);
    expect(done.findLast(({ keyword }) => keyword === 'USER')?.rest).toBe('node');
    expect(done.findLast(({ keyword }) => keyword === 'COPY')?.rest).toMatch(/^--from=dependencies /);
    const install = instructionsOf('dependencies', stages).find(({ rest }) => rest.startsWith('npm install'));
    expect(install?.rest).toContain('--omit=dev');
  });

  it('sets only variables that a program here reads', () => {
    const set = all
      .filter(({ keyword }) => keyword === 'ENV')
      .flatMap(({ rest }) => [...rest.matchAll(/(\w+)=/g)].map(([, name]) => name ?? ''));
    expect(set.length).toBeGreaterThan(0);
    expect(set.filter((name) => !KNOWN_VARIABLES.has(name))).toEqual([]);
  });

  it('has every image that docker-compose.yml builds', () => {
    const names = stages.map(({ name }) => name);
    const built = Object.values(readComposeFile().services).flatMap(({ build }) => build?.target ?? []);
    expect(names).toEqual(expect.arrayContaining(built));
  });
});

function isWithin(file: string, folders: ReadonlySet<string>): boolean {
  return [...folders].some((folder) => file === folder || file.startsWith(`${folder}/`));
}

/** All files of ours and all packages that these files or folders lead to. */
async function importsOf(entries: string[]): Promise<{ files: string[]; packages: string[] }> {
  const { output } = await cruise(entries, {
    baseDir: ROOT,
    // What runs here with an emulator needs its package, and says so where that is missing.
    doNotFollow: { path: ['node_modules', '^src/local/'] },
    exclude: { path: 'emulator/src/dashboard/page' },
    parser: 'swc', // TypeScript 7 has no API for it
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['node', 'import', 'default'],
    },
  });
  if (typeof output === 'string') throw new Error(output);
  const found = output.modules.filter(({ coreModule }) => coreModule !== true).map(({ source }) => source);
  const packages = found.flatMap((source) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1] ?? []);
  return {
    files: found.filter((source) => !source.includes('node_modules/')),
    packages: [...new Set(packages)],
  };
}

function dependenciesOf(manifest: string): string[] {
  const { dependencies = {} } = JSON.parse(readFileSync(ROOT + manifest, 'utf8')) as {
    dependencies?: Record<string, string>;
  }; // a package.json of ours
  return Object.keys(dependencies);
}
