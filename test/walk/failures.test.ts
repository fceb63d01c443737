import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutPrefix } from '../../src/api/codes.ts';
import { FAILURES, OUTSIDE_ENDS } from '../../src/contract/failures/failures.ts';
import { NEEDS_A_LOOK, SUBMITTING_AGAIN } from '../../src/contract/search-attributes.ts';
import { EXIT_CODES } from '../../src/starter/failures/command-failure.ts';
import { openStarterWorld, type StarterWorld } from '../starter/starter-world.ts';
import { eventually, FAST, logged } from '../workflows/world.ts';
import { FAILING, policyOf } from './failing.ts';
import { PAGES, TEXT, wordsOf } from './pages.ts';

/** What every page has. */
const PARTS = ['- **Cost:**', '- **Do:**', '- **Type:**'];

let world: StarterWorld;
beforeAll(async () => {
  world = await openStarterWorld();
});
afterAll(() => world.close());

function pageOf(title: string) {
  const page = PAGES.get(title);
  if (page === undefined) throw new Error(`no page ${title}`);
  return page;
}

/** Types what a page says. */
async function followPage(title: string, values: Readonly<Record<string, readonly string[]>>) {
  const { commands } = pageOf(title);
  expect(commands.length).toBeGreaterThan(0);
  for (const command of commands) {
    const ended = await world.runHere(...wordsOf(command, values));
    expect({ command, code: ended.code }).toEqual({ command, code: 0 });
  }
}

function spent(workflowId: string): number {
  return world.charges(workflowId).reduce((sum, { credits }) => sum + credits, 0);
}

function sentences(workflowId: string): string[] {
  return logged.flatMap(({ message, fields }) =>
    (fields as { workflowId?: string }).workflowId === workflowId ? message : [],
  );
}

async function stateOf(workflowId: string): Promise<unknown> {
  const { searchAttributes } = await world.client.workflow.getHandle(workflowId).describe();
  return searchAttributes['DarkroomState']?.[0] ?? null;
}

/** What shows a failure everywhere that a person looks: it says what it was, what it cost and what to do. */
async function isTold(workflowId: string, type: string, cost: number): Promise<void> {
  const watched = await world.runHere('watch', workflowId);
  expect(watched.code).toBe(1);
  expect(watched.stderr).toContain(type);
  expect(watched.stderr).toContain(cost === 0 ? 'no credits' : `${cost} credits`);
  expect(watched.stderr).toContain('Next: ');
  await eventually(async () => {
    const details = await world.details(world.client.workflow.getHandle(workflowId));
    expect(details).toContain(`**Failed: ${type}**`);
    expect(details).toContain('**What to do:**');
    expect(details).toContain(`Credits: **${cost}**`);
  });
  expect(await stateOf(workflowId)).toBeNull();
  await eventually(() => {
    expect(sentences(workflowId)).toContainEqual(expect.stringContaining(`failed with ${type}`));
  });
}

describe('the pages of docs/failures.md', () => {
  it('are those of the failure types and states that the code has, each with what it means, costs and asks for', () => {
    const states = [...NEEDS_A_LOOK, SUBMITTING_AGAIN, 'needs a decision: a held step'];
    expect([...PAGES.keys()].toSorted()).toEqual([...Object.keys(FAILURES), ...states].toSorted());
    for (const { title, text } of PAGES.values())
      expect({ title, parts: PARTS.filter((part) => !text.includes(part)) }).toEqual({ title, parts: [] });
  });

  it('end with what the command line itself says, with the exit code of each', () => {
    const told = [...TEXT.matchAll(/^\| `([A-Z_]+)` \| (\d+) \|/gm)].map(([, type, code]) => [
      type,
      Number(code),
    ]);
    expect(Object.fromEntries(told)).toEqual(EXIT_CODES);
  });

  it('have a walk each', () => {
    const walked = [...Object.keys(FAILING), 'INVALID_REQUEST', 'PIPELINE_FAILED', ...OUTSIDE_ENDS];
    expect(walked.toSorted()).toEqual(Object.keys(FAILURES).toSorted());
  });
});

describe('a generation that has failed', () => {
  it.for(Object.entries(FAILING))('as %s is told of, and ends well by its page', async ([title, failing]) => {
    const prompt = randomUUID();
    const workflowId = `generation/${randomUUID()}`;
    const { faults } = world.emulator.service();
    const rules = failing.faults.map((rule) => faults.add({ ...rule, match: { promptIncludes: prompt } }));
    const request = { model: 'image-l', input: { prompt }, policy: policyOf(failing) };
    const { type } = await world.failureOf(await world.start(request, workflowId));
    expect(withoutPrefix(type)).toBe(title);
    expect(spent(workflowId)).toBe(failing.cost);
    await isTold(workflowId, type, failing.cost);

    for (const { id } of rules) faults.remove(id);
    if (failing.mend === 'finish') {
      const [taskId] = world.bought({ workflowId });
      await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
    }
    const key = randomUUID();
    await followPage(title, {
      'workflow id': [workflowId],
      model: ['image-l'],
      'corrected fields': [`prompt=${randomUUID()}`, '--policy', JSON.stringify(FAST)],
      'another key': [key],
      credits: ['100'],
    });
    expect(spent(workflowId) + spent(`generation/${key}`)).toBe(failing.cost + failing.again);
  });

  it('as INVALID_REQUEST is told of, and ends well when it is corrected', async () => {
    const workflowId = `generation/${randomUUID()}`;
    const request = { model: 'image-l', input: { promt: 'a typo' } };
    const { type } = await world.failureOf(await world.start(request, workflowId));
    await isTold(workflowId, type, 0);
    const key = randomUUID();
    await followPage(type, {
      model: ['image-l'],
      'corrected fields': ['prompt=corrected', '--policy', JSON.stringify(FAST)],
      'another key': [key],
    });
    expect(spent(`generation/${key}`)).toBe(8);
  });
});

it('a pipeline that has failed is told of, with every step, and ends well by its page', async () => {
  const prompt = randomUUID();
  const workflowId = `pipeline/${randomUUID()}`;
  const fault = { kind: 'fail', code: 'FAILED' } as const;
  const { faults } = world.emulator.service();
  const { id } = faults.add({ on: 'task', match: { promptIncludes: prompt }, fault });
  const steps = {
    good: { model: 'image-l', input: { prompt: 'good' } },
    bad: { model: 'image-l', input: { prompt } },
  };
  const { type } = await world.failureOf(await world.pipeline({ policy: FAST, steps }, workflowId));
  await isTold(workflowId, type, 24);
  const shown = await world.runHere('show', workflowId);
  for (const { taskId } of ['good', 'bad'].flatMap((step) => world.charges(`${workflowId}/${step}`)))
    expect(shown.stdout).toContain(taskId);
  faults.remove(id);
  await followPage('PIPELINE_FAILED', { 'workflow id': [workflowId] });
  const charges = (step: string): number => world.charges(`${workflowId}/${step}`).length;
  expect([charges('good'), charges('bad')]).toEqual([1, 3]);
});

describe('a generation that was ended from outside', () => {
  it.for(OUTSIDE_ENDS)('(%s) is taken up again by its page, and nothing is bought twice', async (title) => {
    const prompt = randomUUID();
    const workflowId = `generation/${randomUUID()}`;
    world.fault({ on: 'task', match: { promptIncludes: prompt }, times: 1, fault: { kind: 'hang' } });
    const handle = await world.client.workflow.start('generation', {
      workflowId,
      taskQueue: world.config.taskQueue,
      args: [{ model: 'image-l', input: { prompt }, policy: FAST }],
      ...(title === 'TIMED_OUT' ? { workflowExecutionTimeout: '3s' } : {}),
    });
    await world.until(handle, 'waiting');
    if (title === 'CANCELLED') await handle.cancel();
    if (title === 'TERMINATED') await handle.terminate();
    await handle.result().catch(() => undefined);
    const watched = await world.runHere('watch', workflowId);
    expect(watched.code).toBe(1);
    expect(watched.stderr).toContain(title);
    expect(watched.stderr).toContain(`retry ${workflowId}`);
    const [taskId] = world.bought({ workflowId });
    await fetch(`${world.emulator.controlUrl}/tasks/${taskId}/finish`, { method: 'POST' });
    await followPage(title, { 'workflow id': [workflowId] });
    expect(world.bought({ workflowId })).toEqual([taskId]);
  });
});
