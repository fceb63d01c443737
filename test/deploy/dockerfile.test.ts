import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { ROOT, readComposeFile } from './compose-file.ts';
import { instructionsOf, lastCommand, readStages } from './dockerfile.ts';
import { KNOWN_VARIABLES } from './known-variables.ts';

const stages = readStages();
const all = stages.flatMap(({ instructions }) => instructions);

describe('the Dockerfile', () => {
  it('copies what exists, and what .dockerignore lets in', () => {
    const letIn = readFileSync(`${ROOT}.dockerignore`, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = all
      .filter(({ keyword, rest }) => keyword === 'COPY' && !rest.startsWith('--from='))
      .flatMap(({ rest }) => rest.split(/\s+/).slice(0, -1));
    expect(copied.length).toBeGreaterThan(0);
    for (const source of copied) {
      expect(existsSync(ROOT + source), source).toBe(true);
      expect(letIn).toContain(source);
    }
  });

  it('copies from stages that it has, and builds on Node 24', () => {
    const names = new Set(stages.map(({ name }) => name));
    for (const { from } of stages) expect(names.has(from) || from.startsWith('node:24-'), from).toBe(true);
    for (const [, from = ''] of all.flatMap(({ rest }) => [...rest.matchAll(/^--from=(\S+)/g)])) {
      expect(names, from).toContain(from);
    }
  });

  it.each(['darkroom', 'emulator'])('runs and checks files of this project in the image %s', (name) => {
    for (const keyword of ['CMD', 'HEALTHCHECK'] as const) {
      const [program, file = ''] = lastCommand(keyword, name, stages);
      expect(program).toBe('node');
      expect(existsSync(ROOT + file), file).toBe(true);
    }
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
    const names = new Set(stages.map(({ name }) => name));
    for (const { build } of Object.values(readComposeFile().services)) {
      if (build !== undefined) expect(names).toContain(build.target);
    }
  });
});
