import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { FAST } from '../../workflows/world.ts';
import { openStarterWorld, POLICY, type StarterWorld } from '../starter-world.ts';

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

/** Stands before the world's Temporal, and keeps from it what holds that text, and all that comes after it. */
async function openHeldUpTemporal(text: string) {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const [host, port] = world.config.temporal.address.split(':');
  const proxy = createServer((socket) => {
    const onward = connect({ host: host ?? '', port: Number(port) });
    for (const one of [socket, onward]) one.on('error', () => undefined);
    let isHeld = false;
    socket.on('data', (sent: Buffer) => {
      isHeld ||= sent.includes(text);
      if (isHeld) resolve();
      else onward.write(sent);
    });
    onward.pipe(socket);
    socket.on('close', () => onward.destroy());
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  onTestFinished(() => void proxy.close());
  return { held, address: `127.0.0.1:${(proxy.address() as AddressInfo).port}` }; // a TCP server's address
}

describe('starter generate', () => {
  it('left by Ctrl-C while the start is in flight, says how to come back to it', async () => {
    const prompt = `held up ${randomUUID()}`;
    const { held, address } = await openHeldUpTemporal(prompt);
    const key = randomUUID();
    const { code, json, stderr } = await world.runWith(
      { TEMPORAL_ADDRESS: address },
      ['generate', 'image-l', `prompt=${prompt}`, '--id', key, '--json'],
      { interruptAfter: held },
    );
    expect(code).toBe(130);
    const workflowId = `generation/${key}`;
    expect(json()).toMatchObject({ error: { type: 'INTERRUPTED', details: { workflowId } } });
    expect(stderr).toContain(`It was being started, and goes on where that was taken`);
  });

  it('prints the result, and for the same id the same purchase', async () => {
    const id = randomUUID();
    const first = await world.runHere(
      'generate',
      'image-l',
      'prompt=a red fox in snow',
      '--id',
      id,
      '--policy',
      POLICY,
      '--json',
    );
    expect(first.code).toBe(0);
    expect(first.json()).toMatchObject({ model: 'image-l', status: 'COMPLETED', usage: { total: 8 } });
    expect(first.stderr).toContain(`http://ui.example/namespaces/default/workflows/generation%2F${id}`);

    const second = await world.runHere(
      'generate',
      'image-l',
      'prompt=a red fox in snow',
      '--id',
      id,
      '--json',
    );
    expect(second.json()).toEqual(first.json());
    expect(second.stderr).toContain('attached to it, nothing new is bought');
    expect(world.charges(`generation/${id}`)).toHaveLength(1);
  });

  it('names a template, and leaves open what that has', async () => {
    world.emulator.service().templates.create({
      id: 'tpl_poster',
      name: 'Poster',
      model: 'image-l',
      workspace: null,
      input: { prompt: 'a poster' },
    });
    const args = ['generate', 'image-l', 'n=2', '--template', 'tpl_poster', '--policy', POLICY, '--json'];
    const { code, json } = await world.runHere(...args);
    expect(code).toBe(0);
    expect(json()).toMatchObject({ data: { n: 2, actual_prompt: 'a poster' } });
    const refused = await world.runHere('generate', 'image-l', '--template', 'two words', '--json');
    expect(refused.code).toBe(2);
    expect(refused.json()).toMatchObject({ error: { details: { errors: [{ path: 'templateId' }] } } });
  });

  it('refuses an id that belongs to another request', async () => {
    const id = randomUUID();
    await world.runHere('generate', 'image-l', 'prompt=one', '--id', id);
    const { code, json } = await world.runHere('generate', 'image-l', 'prompt=two', '--id', id, '--json');
    expect(code).toBe(2);
    expect(json()).toMatchObject({ error: { type: 'KEY_IN_USE' } });
  });

  it("prints a failure with the API's code and what was tried, and exits with 1", async () => {
    const args = ['generate', 'image-l', 'prompt=[[reject]]', '--policy', POLICY];
    const { code, json } = await world.runHere(...args, '--json');
    expect(code).toBe(1);
    expect(json()).toMatchObject({
      error: {
        type: 'IMAGE_GENERATION_CONTENT_REJECTED',
        details: { attempts: [{ outcome: 'rejected' }], usage: { total: 0 } },
      },
    });
    const plain = await world.runHere(...args);
    expect(plain).toMatchObject({ code: 1, stdout: '' });
    expect(plain.stderr).toContain('IMAGE_GENERATION_CONTENT_REJECTED: ');
  });

  it('takes its input from a file, and fields on top of it', async () => {
    const path = await world.file('input.json', { prompt: 'from the file', n: 1 });
    const { json } = await world.runHere('generate', 'image-l', 'n=2', '--input', path, '--json');
    expect(json()).toMatchObject({ data: { n: 2, actual_prompt: 'from the file' }, outputs: [{}, {}] });
  });

  it('shows of a failure what was tried, what it cost and what can be done', async () => {
    const id = randomUUID();
    world.fault({
      on: 'task',
      match: { promptIncludes: id },
      fault: { kind: 'fail', code: 'FAILED', message: 'no luck' },
    });
    const { code, stderr } = await world.runHere(
      'generate',
      'image-l',
      `prompt=${id}`,
      '--id',
      id,
      '--policy',
      POLICY,
    );
    expect(code).toBe(1);
    expect(stderr).toContain('IMAGE_GENERATION_FAILED: no luck\n');
    expect(stderr).toMatch(/│ 2 +│ [0-9a-f-]{36} │ failed +│ IMAGE_GENERATION_FAILED │ 8 /);
    expect(stderr).toContain('Spent: 16 credits (subscription 16, permanent 0)\n');
    expect(stderr).toContain(
      `Next: Try again: a new task is bought.\n  npm run starter -- retry generation/${id}\n`,
    );
  });

  it('lets nothing that the API says move or colour the terminal', async () => {
    const id = randomUUID();
    const message = 'bad\u001b[2J\u001b]0;owned\u0007\u009b31m\u202e luck\n✔ completed';
    world.fault({
      on: 'submit',
      match: { promptIncludes: id },
      fault: { kind: 'error', code: 'INVALID_INPUT', message },
    });
    const ended = await world.runHere('generate', 'image-l', `prompt=${id}`, '--json');
    expect(ended.json()).toMatchObject({ error: { message } });
    for (const text of [ended.stdout, ended.stderr])
      expect(text).not.toMatch(/[^\P{Cc}\n]|\p{Bidi_Control}/u);
    expect(ended.stderr).toContain('IMAGE_GENERATION_INVALID_INPUT: bad luck ✔ completed\n');
  });

  it('goes on with more budget where it had come to the end of one', async () => {
    const id = randomUUID();
    world.fault({
      on: 'task',
      match: { promptIncludes: id },
      times: 1,
      fault: { kind: 'fail', code: 'FAILED' },
    });
    const policy = JSON.stringify({ ...FAST, budget: { credits: 8 } });
    const first = await world.runHere('generate', 'image-l', `prompt=${id}`, '--id', id, '--policy', policy);
    expect(first.code).toBe(1);
    const next = `rerun generation/${id} --set policy.budget.credits=16`;
    expect(first.stderr).toMatch(/^Next: Try again with a larger budget/m);
    expect(first.stderr).toContain(`\n  npm run starter -- ${next}\n`);

    const again = await world.runHere(...next.split(' '), '--json');
    expect(again.json()).toMatchObject({ status: 'COMPLETED' });
    expect(world.charges(`generation/${id}`)).toHaveLength(2);
  });

  it('names a task queue that nobody polls, and the setting', async () => {
    const taskQueue = `nobody-${randomUUID()}`;
    const id = randomUUID();
    const { code, stderr } = await world.runWith(
      { DARKROOM_TASK_QUEUE: taskQueue },
      ['generate', 'image-l', 'prompt=x', '--id', id],
      { interruptWhen: (output) => output.includes('set DARKROOM_TASK_QUEUE') },
    );
    expect(code).toBe(130);
    expect(stderr).toContain(`no worker polls task queue ${taskQueue} in namespace default`);
    await world.client.workflow.getHandle(`generation/${id}`).terminate();
  });
});
