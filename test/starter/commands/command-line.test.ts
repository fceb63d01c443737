import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { FAST } from '../../workflows/world.ts';
import { starterHere } from '../run-program.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

const completed = (workflowId: string): Promise<unknown> =>
  world.client.workflow.getHandle(workflowId).result();

describe('the command line', () => {
  it('tells its version', async () => {
    const { code, stdout } = await starterHere(['--version']);
    expect({ code, stdout }).toEqual({ code: 0, stdout: `${manifest.version}\n` });
  });

  it('starts without waiting with --detach, and says how to follow it', async () => {
    const id = randomUUID();
    const args = ['generate', 'image-l', 'prompt=left alone', '--id', id, '--policy', POLICY, '--detach'];
    const first = await world.runHere(...args);
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining(`watch generation/${id}`) });
    await completed(`generation/${id}`);
    const again = await world.runHere(...args, '--json');
    expect(again.json()).toEqual({ workflowId: `generation/${id}`, attached: true });
    expect(world.charges(`generation/${id}`)).toHaveLength(1);
  });

  it('tells by a dry run what a generation would cost, and starts nothing', async () => {
    const [id, prompt] = [randomUUID(), `a dry run ${randomUUID()}`];
    const args = ['generate', 'image-l', `prompt=${prompt}`, '--policy', POLICY];
    await world.runHere(...args);
    const dry = await world.runHere(...args, '--id', id, '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('1 generation to buy for') });
    expect(await world.runHere('show', `generation/${id}`)).toMatchObject({ code: 1 });
    await world.runHere(...args, '--id', id);
    const there = await world.runHere(...args, '--id', id, '--dry-run');
    expect(there.stdout).toBe(`generation/${id} exists already: nothing new is bought\n`);
    const other = await world.runHere(
      'generate',
      'image-l',
      'prompt=other',
      '--id',
      id,
      '--dry-run',
      '--json',
    );
    expect(other.code).toBe(2);
    expect(other.json()).toMatchObject({ error: { type: 'KEY_IN_USE' } });
  });

  it('starts with the priority that --priority says, and refuses one that there is not', async () => {
    const path = await world.file(`${randomUUID()}.json`, {
      policy: FAST,
      steps: { still: { model: 'image-l', input: { prompt: 'at once' } } },
    });
    const starts: [kind: string, ...args: string[]][] = [
      ['generation', 'generate', 'image-l', 'prompt=at once', '--policy', POLICY],
      ['pipeline', 'run', path],
    ];
    for (const [kind, ...args] of starts) {
      const id = randomUUID();
      expect(await world.runHere(...args, '--id', id, '--priority', '1')).toMatchObject({ code: 0 });
      const { raw } = await world.client.workflow.getHandle(`${kind}/${id}`).describe();
      expect(raw.workflowExecutionInfo?.priority?.priorityKey).toBe(1);
      expect(await world.runHere(...args, '--priority', '6')).toMatchObject({ code: 2 });
    }
    const rows = await world.file(`${randomUUID()}.jsonl`, {});
    const batch = await world.runHere('run', path, '--for-each', rows, '--priority', '1');
    expect(batch).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--priority is for one pipeline'),
    });
  });

  it('retries without waiting with --detach', async () => {
    const id = randomUUID();
    world.fault({
      on: 'task',
      match: { promptIncludes: id },
      times: 1,
      fault: { kind: 'fail', code: 'INVALID_INPUT' },
    });
    const args = ['generate', 'image-l', `prompt=${id}`, '--id', id, '--policy', POLICY];
    expect(await world.runHere(...args)).toMatchObject({ code: 1 });
    const retried = await world.runHere('retry', `generation/${id}`, '--detach', '--json');
    expect(retried.json()).toEqual({ workflowId: `generation/${id}` });
    await completed(`generation/${id}`);
  });

  it('gives a pipeline its parameters by --param, over those of the document', async () => {
    const id = randomUUID();
    const path = await world.file(`${id}.json`, {
      policy: FAST,
      params: { scene: 'a city', count: 1 },
      steps: {
        still: { model: 'image-l', input: { prompt: { $param: 'scene' }, n: { $param: 'count' } } },
        cover: { model: 'image-l', input: { prompt: 'cover of {{ scene }}', n: '{{count}}' } },
      },
    });
    const args = ['run', path, '--id', id, '--param', 'scene=Oslo at night', '--param', 'count=2', '--json'];
    const { code, json } = await world.runHere(...args);
    expect(code).toBe(0);
    expect(json()).toMatchObject({
      steps: {
        still: { result: { data: { n: 2, actual_prompt: 'Oslo at night' } } },
        cover: { result: { data: { n: 2, actual_prompt: 'cover of Oslo at night' } } },
      },
    });
    expect(await world.runHere('run', path, '--param', 'scene')).toMatchObject({ code: 2 });
  });

  it.each([['run', '--dry-run'], ['run', '--detach'], ['estimate']])(
    'buys no column by its name: %s',
    async (command, ...options) => {
      const path = await world.file(`${randomUUID()}.json`, {
        policy: FAST,
        steps: { still: { model: 'image-l', input: { prompt: 'a postcard of {{city}}' } } },
      });
      expect(await world.runHere(command, path, ...options)).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          '{{city}} stands for a column: give --for-each <rows>, or --param city=',
        ),
      });
    },
  );

  it('takes a key for the workflow id that it is a part of, where one kind alone has it', async () => {
    const key = randomUUID();
    const path = await world.file(`${key}.json`, {
      policy: FAST,
      steps: { still: { model: 'image-l', input: { prompt: 'by its key' } } },
    });
    await world.runHere('run', path, '--id', key);
    const shown = await world.runHere('show', key, '--json');
    expect(shown.json()).toMatchObject({ workflowId: `pipeline/${key}`, status: 'COMPLETED' });
    expect((await world.runHere('watch', key, '--json')).json()).toMatchObject({ status: 'COMPLETED' });
    await world.runHere('generate', 'image-l', 'prompt=of the same key', '--id', key, '--policy', POLICY);
    const both = await world.runHere('show', key);
    expect(both.code).toBe(2);
    expect(both.stderr).toContain(`generation/${key} or pipeline/${key}`);
    expect((await world.runHere('show', randomUUID(), '--json')).json()).toMatchObject({
      error: { type: 'NOT_FOUND' },
    });
  });

  it('writes no control characters to a terminal that is dumb', async () => {
    const dumb = await world.runWith({ TERM: 'dumb', FORCE_COLOR: '1' }, ['show', 'never-started']);
    expect(dumb.stderr).not.toContain('\u001B');
    const { stderr } = await world.runWith({ TERM: 'xterm', FORCE_COLOR: '1' }, ['show', 'never-started']);
    expect(stderr).toContain('\u001B');
  });

  it('completes commands, options and models in bash', async () => {
    const { stdout: script } = await starterHere(['completion', 'bash']);
    const complete = async (...words: string[]): Promise<string[]> => {
      const program = `${script}
        COMP_WORDS=(darkroom "$@"); COMP_CWORD=$#; _darkroom; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const { stdout } = await promisify(execFile)('bash', ['-c', program, 'bash', ...words]);
      return stdout.trim().split('\n');
    };
    expect(await complete('re')).toEqual(['reset', 'retry', 'rerun']);
    expect(await complete('generate', 'upsc')).toEqual(['upscale-q']);
    expect(await complete('list', '--si')).toEqual(['--since']);
    expect(await complete('decide', '--o')).toEqual(['--other-input']);
    for (const shell of ['zsh', 'fish']) {
      const { code, stdout } = await starterHere(['completion', shell]);
      expect(code).toBe(0);
      for (const word of ['upscale-q', 'rerun', 'since']) expect(stdout).toContain(word);
    }
    expect(await starterHere(['completion', 'tcsh'])).toMatchObject({ code: 2 });
  });
});
