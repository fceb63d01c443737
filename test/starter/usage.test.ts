import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MODEL_IDS } from '../../src/api/models/registry.ts';
import { runProgram, starter, starterHere } from './run-program.ts';

const NOTHING_THERE = { TEMPORAL_ADDRESS: '127.0.0.1:1' };

describe('starter models', () => {
  it('lists every model, without Temporal and without the API', async () => {
    const { code, stdout, stderr } = await starter(['models']);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    for (const id of MODEL_IDS) expect(stdout).toContain(`│ ${id} `);
  });

  it('lists them as one JSON document with the fields of each', async () => {
    const { code, json } = await starterHere(['models', '--json']);
    expect(code).toBe(0);
    const models = json() as { id: string }[];
    expect(models.map(({ id }) => id)).toEqual(MODEL_IDS);
    expect(models.find(({ id }) => id === 'image-l')).toMatchObject({
      family: 'image',
      path: 'generation/darkroom/image-l',
      fields: expect.arrayContaining([
        expect.objectContaining({ name: 'prompt', type: 'string', required: true, assumed: false }),
        expect.objectContaining({ name: 'n', type: 'integer', required: false, minimum: 1, maximum: 4 }),
      ]) as unknown,
    });
  });

  it("shows one model's fields with their limits, its rules and an example", async () => {
    const { stdout } = await starterHere(['models', 'video-e']);
    expect(stdout).toMatch(/resolution .* one of 768p, 1080p/);
    expect(stdout).toContain('Rules:');
    expect(stdout).toMatch(/generate video-e .*first_frame_url=https:/);
  });

  it('marks rules that are assumed, and leaves out those that DARKROOM_CONFIG relaxes', async () => {
    const rule = 'first and last frame are for the frames mode';
    const { stdout } = await starterHere(['models', 'video-k']);
    expect(stdout).toContain(`  - ${rule} *\n`);
    expect(stdout).toContain('only hints at the rule: assumed, DARKROOM_CONFIG can relax it');
    const asJson = await starterHere(['models', 'video-k', '--json']);
    expect(asJson.json()).toMatchObject({ rules: [rule], assumedRules: [rule], schema: { allOf: [{}] } });
    const folder = await mkdtemp(join(tmpdir(), 'darkroom-config-'));
    try {
      const path = join(folder, 'darkroom.json');
      await writeFile(path, JSON.stringify({ models: { 'video-k': { assumedRules: 'relax' } } }));
      const relaxed = await starterHere(['models', 'video-k', '--json'], { DARKROOM_CONFIG: path });
      expect(relaxed.json()).toMatchObject({ rules: [], assumedRules: [] });
      expect(relaxed.json()).not.toHaveProperty('schema.allOf');
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('gives one model as JSON with its schema, as DARKROOM_CONFIG has it', async () => {
    const { json } = await starterHere(['models', 'image-s', '--json']);
    expect(json()).toMatchObject({ id: 'image-s', schema: { properties: { prompt: { maxLength: 2_000 } } } });
  });
});

describe('starter, asked in a wrong way,', () => {
  it.each([
    [['generat'], 'Did you mean generate?'],
    [['generate', 'image-l', 'a red fox'], '"a red fox" is not field=value'],
    [['generate', 'image-1', 'prompt=x'], 'did you mean image-l?'],
    [['generate', 'image-l', 'promt=x'], 'did you mean prompt?'],
    [['generate', 'image-l', 'prompt=x', 'n=5'], 'input.n must be an integer from 1 to 4; got 5'],
    [['generate', 'image-l', 'prompt=x', '--policy', '{"deadlin":"1m"}'], 'policy.deadlin is not known'],
    [['run', '/no/such/pipeline.json'], 'there is no such file'],
    [['decide', 'generation/x', 'adopt'], 'adopt needs --task'],
    [['credits'], 'DARKROOM_API_URL is not set'],
    [['watch', 'generation/x', '--timeout', 'soon'], 'It is a duration like'],
    [['list', '--limit', '0'], 'It is a whole number from 1 to 1000'],
    [['list', '--model', 'image-1'], 'did you mean image-l?'],
    [['list', '--state', 'need a decision'], 'did you mean needs a decision?'],
    [['list', '--state', 'lost'], 'States: running, completed, failed, '],
    [['list', '--since', '2'], 'It is how long ago, like 30m, 2h or 3d, or a time'],
    [['list', '--until', '11/24/2026'], 'It is how long ago'],
    [['cost', '--since', '7'], 'It is how long ago'],
    [['estimate', '/no/such.json', '--workspace', 'film'], '--workspace is for a generation'],
    [['estimate', 'image-l', 'prompt=x', '--param', 'a=b'], '--param is for a pipeline'],
    [['reset', 'generation/x', '--event', 'first'], 'It is the number of an event'],
  ])('%j: says what was wrong and exits with 2, before it connects to anything', async (args, message) => {
    const { code, stdout, stderr } = await starterHere(args, NOTHING_THERE);
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it('with --json prints one document with every field that is wrong', async () => {
    const { code, json } = await starterHere(
      ['generate', 'image-l', 'n=0', 'seed=1', '--json'],
      NOTHING_THERE,
    );
    expect(code).toBe(2);
    expect(json()).toMatchObject({
      error: {
        type: 'INVALID_REQUEST',
        details: {
          attempts: [],
          errors: [{ path: 'input.seed' }, { path: 'input.prompt' }, { path: 'input.n' }],
        },
      },
    });
  });
});

describe('a program that is asked for help', () => {
  const commands =
    'generate run watch show list decide check cancel reset retry rerun download models estimate cost caps credits doctor completion'.split(
      ' ',
    );
  const programs = 'demo dev worker emulator'.split(' ');

  it.each<[string, string[]]>([
    ['starter.ts', ['--help']],
    ['starter.ts', ['help']],
    ...[...commands, ...programs].map((command): [string, string[]] => ['starter.ts', [command, '--help']]),
    ['worker.ts', ['--help']],
    ['local/main.ts', ['--help']],
    ['local/main.ts', ['start', '--help']],
    ['local/main.ts', ['dev', '--help']],
    ['../test/chaos/main.ts', ['--help']],
    ['../bench/main.ts', ['--help']],
  ])('%s %j: prints it with examples, in 80 columns, and exits with 0', async (program, args) => {
    const isHere = commands.includes(args[0] ?? '');
    const { code, stdout, stderr } = await (isHere ? starterHere(args) : runProgram(program, args));
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^Usage: /);
    expect(stdout).toMatch(/^Examples?:\n( {2}.+\n)+$/m);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
    expect(stdout).not.toMatch(/\d{12}/); // a time as milliseconds
  });

  it('names every command of the starter', async () => {
    const { stdout } = await starter(['--help']);
    const [, listed = ''] = /^Commands:\n((?: {2}.*\n)+)/m.exec(stdout) ?? [];
    const names = [...listed.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    expect(names).toEqual([...commands, ...programs, 'help']);
  });
});

describe('starter, where something is missing,', () => {
  it('says that there is no Temporal, and exits with 1', async () => {
    const { code, stderr, json } = await starter(['watch', 'generation/x', '--json'], NOTHING_THERE);
    expect(code).toBe(1);
    expect(json()).toMatchObject({ error: { type: 'TEMPORAL_UNREACHABLE', details: null } });
    expect(stderr).toContain('no Temporal server at 127.0.0.1:1 (TEMPORAL_ADDRESS): nothing listens there');
  });

  it('says that the API is not there', async () => {
    const env = { DARKROOM_API_URL: 'http://127.0.0.1:1/api/v1', DARKROOM_API_KEY: 'key' };
    const { code, stderr } = await starter(['credits'], env);
    expect(code).toBe(1);
    expect(stderr).toContain('DARKROOM_API_URL is http://127.0.0.1:1/api/v1');
  });
});

describe('the other programs, started in a wrong way,', () => {
  it.each([
    ['worker.ts', ['--no-recever'], 'Did you mean --no-receiver?'],
    ['worker.ts', ['--no-receiver', '--receiver-only'], 'cannot be used with'],
    ['worker.ts', ['start'], 'too many arguments'],
    ['local/main.ts', ['strat'], 'Did you mean start?'],
  ])('%s %j: says what was wrong and exits with 2', async (program, args, message) => {
    const { code, stderr } = await runProgram(program, args);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it.each([
    ['../emulator/src/main.ts', [], 'EMULATOR_PORT', '70000', 'EMULATOR_PORT must be a port'],
    [
      '../emulator/src/main.ts',
      [],
      'EMULATOR_FAULTS',
      '/no/such.json',
      'EMULATOR_FAULTS: the file /no/such.json cannot',
    ],
    ['local/main.ts', ['dev'], 'EMULATOR_SPEED', '0', 'EMULATOR_SPEED must be a factor above 0'],
  ])(
    '%s %j with %s=%s: says what was wrong and exits with 2',
    async (program, args, name, value, message) => {
      const { code, stdout, stderr } = await runProgram(program, args, { ...NOTHING_THERE, [name]: value });
      expect(stderr).toMatch(new RegExp(`^${message}.*\\n$`));
      expect(code).toBe(2);
      // What is to come is said before the parts are loaded; that it is there is not.
      expect(stdout).not.toMatch(/is up|is running/);
    },
  );
});
