import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, readComposeFile } from './compose-file.ts';
import { instructionsOf, lastCommand, readStages } from './dockerfile.ts';
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
    expect(copied.filter((source) => !letIn.has(source))).toEqual([]);
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
