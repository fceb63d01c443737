import type { Server } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { throughGateway } from '../record-gateway.ts';
import { FAST, image, openWorld, type World } from '../world.ts';

let world: World;
let gateway: Server;
/** How many records of a prompt were read when it was completed. */
const completed = new Map<string, number>();
beforeAll(async () => {
  world = await openWorld();
  gateway = await throughGateway(world, (record, prompt) => {
    if (record['status'] !== 'COMPLETED') return record;
    const count = (completed.get(prompt) ?? 0) + 1;
    completed.set(prompt, count);
    if (prompt.startsWith('late') && count > 2) return record;
    // Each record signs its URLs anew.
    if (prompt.startsWith('gone'))
      return {
        ...record,
        data: JSON.parse(
          JSON.stringify(record['data'], (_, value: unknown) =>
            typeof value === 'string' && URL.canParse(value) ? `${value}?read=${count}` : value,
          ),
        ),
      };
    return prompt.startsWith('plain') ? record : { ...record, data: prompt.endsWith('null') ? null : {} };
  });
});
afterAll(async () => {
  await world.close();
  gateway.close();
});

const waiting = (prompt: string, wait: string) => image(prompt, { ...FAST, outputs: { wait } });

describe.concurrent('a completed record without a file', () => {
  it.each(['late null', 'late'])('is read again until it names one: %s', async (prompt) => {
    world.loseWebhooks(prompt);
    const { outputs, taskId } = await world.generate(waiting(prompt, '1m'));
    expect(outputs).toMatchObject([{ url: expect.stringContaining(taskId), stored: {} }]);
    expect(completed.get(prompt)).toBe(3);
  });

  it('fails the run when that has taken longer than the policy waits, and nothing is bought again', async () => {
    world.loseWebhooks('never');
    const handle = await world.start(waiting('never', '300ms'));
    expect(await world.failureOf(handle)).toMatchObject({
      type: 'OUTPUT_UNAVAILABLE',
      message: expect.stringContaining('its record names no file (tried for 300 ms)'),
    });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('fails the run soon where its event has come and names none either', async () => {
    const prompt = 'no file anywhere';
    world.loseWebhooks(prompt);
    const goOn = world.hold(prompt);
    const handle = await world.start(waiting(prompt, '1h'));
    const { taskId } = await world.until(handle, 'waiting');
    await handle.signal('taskEvent', { webhookId: 'x', type: 'task.completed', taskId });
    goOn();
    expect(await world.failureOf(handle)).toMatchObject({
      type: 'OUTPUT_UNAVAILABLE',
      message: expect.stringContaining('its record names no file (tried for 10 s)'),
    });
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is completed by the files that the signed event lists', async () => {
    const handle = await world.start(waiting('only told by the event', '1h'));
    const { outputs, taskId, data } = await handle.result();
    expect(outputs).toMatchObject([
      { url: expect.stringContaining(taskId), contentType: 'image/png', stored: {} },
    ]);
    expect(data).toEqual({});
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is completed by the files that the event of a task has listed before anybody held it', async () => {
    const prompt = 'told before it was held';
    world.loseAnswer(prompt);
    const match = { promptIncludes: prompt } as const;
    for (const event of ['task.created', 'task.started'] as const)
      world.fault({ on: 'webhook', match: { ...match, event }, fault: { kind: 'lost' } });
    const handle = await world.start(
      image(prompt, { ...FAST, outputs: { wait: '1h' }, reconcile: { wait: '1m' } }),
    );
    const { outputs, taskId, attempts } = await handle.result();
    expect(attempts).toMatchObject([{ taskId, adopted: true }]);
    expect(outputs).toMatchObject([{ url: expect.stringContaining(taskId), stored: {} }]);
    expect(world.charges(handle.workflowId)).toHaveLength(1);
  });

  it('is completed at once by an event that comes later', async () => {
    const match = { promptIncludes: 'told after', event: 'task.completed' } as const;
    world.fault({ on: 'webhook', match, fault: { kind: 'late', ms: 1_500 } });
    const handle = await world.start(waiting('told after', '1h'));
    expect((await handle.result()).outputs).toHaveLength(1);
  });
});

it('files that are gone are looked for by one fresh record, and what that names is stored', async () => {
  const match = { promptIncludes: 'gone once' };
  world.fault({ on: 'file', match, times: 1, fault: { kind: 'expired', status: 410 } });
  const handle = await world.start(image('gone once'));
  const { outputs } = await handle.result();
  expect(outputs).toMatchObject([{ url: expect.stringMatching(/\?read=2$/), stored: {} }]);
  expect(completed.get('gone once')).toBe(2);
  expect(world.charges(handle.workflowId)).toHaveLength(1);
});

it('an event that names other files changes nothing where the record has some, and odd ones are left alone', async () => {
  const goOn = world.hold('plain');
  const handle = await world.start(image('plain'));
  const { taskId } = await world.until(handle, 'waiting');
  const signal = (artifacts: unknown) =>
    handle.signal('taskEvent', { webhookId: 'x', type: 'task.completed', taskId, artifacts });
  for (const odd of [{ length: 3 }, [null], ['\ud800'], ['file:///etc/passwd'], Array(99).fill('http://x/')])
    await signal(odd);
  await signal(['http://127.0.0.1:9/forged.png']);
  goOn();
  expect((await handle.result()).outputs).toMatchObject([{ url: expect.stringContaining(String(taskId)) }]);
});
