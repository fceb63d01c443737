import { randomUUID } from 'node:crypto';
import type { WorkflowHandle } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { patience } from '../../patience.ts';
import { FAST, image } from '../../workflows/world.ts';
import { openStarterWorld, type StarterWorld } from '../starter-world.ts';

interface Answer {
  receipt: string;
  runs: number;
  adopts: number;
  buys: number;
  unknown: number;
  credits: { low: number; high: number | null };
  reset: number;
  failed: number;
  charged: { credits: number; open: number; ended: Record<string, number> };
}

/** How many of each kind fail: more in all than are told of by their ids at once. */
const KINDS = { refused: 40, rejected: 20, overdue: 20, lost: 15, pipelines: 15 };
const ALL = Object.values(KINDS).reduce((sum, count) => sum + count, 0);
const PRICE = 8;
/** So many submits at once take long on a busy machine: one that is given up has bought nothing, and nothing tells of it. */
const PATIENT = { ...FAST, submit: { timeout: '2m', heartbeat: '1m' } };

let world: StarterWorld;
/** Ends all troubles. */
const ends: (() => void)[] = [];
const handles: Pick<WorkflowHandle, 'workflowId' | 'result'>[] = [];
const batch = randomUUID();

beforeAll(async () => {
  world = await openStarterWorld();
  const { faults } = world.emulator.service();
  const { id: refusing } = faults.add({
    on: 'submit',
    match: { promptIncludes: 'refused' },
    fault: { kind: 'error', code: 'UNAUTHORIZED' },
  });
  const { id: rejecting } = faults.add({
    on: 'task',
    match: { promptIncludes: 'rejected' },
    fault: { kind: 'fail', code: 'CONTENT_REJECTED' },
  });
  ends.push(
    () => faults.remove(refusing),
    () => faults.remove(rejecting),
    world.hold('overdue'),
  );
  world.loseWebhooks('lost');
  world.fault({ on: 'submit', match: { promptIncludes: 'lost' }, fault: { kind: 'lost-before' } });
  const start = async (kind: keyof typeof KINDS, policy: unknown = PATIENT): Promise<void> => {
    const all = Array.from({ length: KINDS[kind] }, (_, index) =>
      world.start(image(`${kind} ${index}`, policy), `generation/${batch}-${kind}-${index}`),
    );
    handles.push(...(await Promise.all(all)));
  };
  await start('refused');
  await start('rejected');
  // Past its deadline a look that nobody answers is made again for that long: so many Resets at once keep a machine busy.
  await start('overdue', { ...PATIENT, deadline: '300ms', vanished: { wait: '30s' } });
  await start('lost', { ...PATIENT, reconcile: { wait: '100ms', otherwise: 'fail' } });
  const steps = {
    still: image('refused still'),
    large: { model: 'upscale-q', input: { image_url: { $from: 'still' } } },
  };
  const { policy: _, ...still } = steps.still;
  for (let index = 0; index < KINDS.pipelines; index += 1)
    handles.push(
      await world.pipeline({ policy: PATIENT, steps: { ...steps, still } }, `pipeline/${batch}-${index}`),
    );
  // What prices are known by.
  const { outputs } = await world.generate(image('known'));
  await world.generate({ model: 'upscale-q', input: { image_url: outputs[0]?.url }, policy: FAST });
  await Promise.all(handles.map((handle) => world.failureOf(handle)));
}, patience(300_000));
afterAll(() => world.close());

const QUERY = `ExecutionStatus = 'Failed' AND (WorkflowId STARTS_WITH 'generation/${batch}' OR WorkflowId STARTS_WITH 'pipeline/${batch}')`;

async function resetMany(...args: string[]): Promise<Answer> {
  const { json, stderr } = await world.runHere('reset', '--query', QUERY, '--json', ...args);
  const answer = json() as Answer; // the contract's
  if (typeof answer.runs !== 'number') throw new Error(stderr);
  return answer;
}

/** Why runs have failed now that should not have. */
async function failures(): Promise<string[]> {
  const messages: string[] = [];
  for (const { workflowId } of handles.filter(({ workflowId }) => !workflowId.includes('-lost-'))) {
    const handle = world.client.workflow.getHandle(workflowId);
    if ((await handle.describe()).status.name === 'COMPLETED') continue;
    const { type, message } = await world.failureOf(handle);
    messages.push(`${workflowId}: ${type}: ${message}`);
  }
  return messages;
}

function openTasks(): number {
  const { tasks } = world.emulator.service();
  return [...tasks.values()].filter(({ status }) => status !== 'COMPLETED' && status !== 'FAILED').length;
}

describe('reset --query', () => {
  it('says what a Reset of all would take over, buy and cost, and resets nothing', async () => {
    const before = world.emulator.service().ledger.charges({}).length;
    await expect
      .poll(async () => (await resetMany('--dry-run')).runs, { timeout: patience(60_000) })
      .toBe(ALL);
    const { receipt, adopts, buys, unknown, credits } = await resetMany('--dry-run');
    expect(receipt).toMatch(/^reset-\d{14}-[0-9a-f]{6}$/);
    expect({ adopts, buys, unknown }).toEqual({
      adopts: KINDS.overdue,
      buys: KINDS.refused + KINDS.rejected + 2 * KINDS.pipelines,
      unknown: KINDS.lost,
    });
    const upscaling = world.emulator
      .service()
      .ledger.charges({})
      .find(({ usage }) => usage.total !== PRICE);
    const low =
      PRICE * (KINDS.refused + KINDS.rejected) +
      (PRICE + (upscaling?.usage.total ?? PRICE)) * KINDS.pipelines;
    expect(credits).toEqual({ low, high: low + PRICE * KINDS.lost });
    expect(world.emulator.service().ledger.charges({})).toHaveLength(before);
  });

  it('asks before it buys: without somebody to ask it refuses', async () => {
    const { code, stdout } = await world.runHere('reset', '--query', QUERY, '--json');
    expect({ code, stdout }).toMatchObject({ code: 2, stdout: expect.stringContaining('--yes') as unknown });
  });

  it("refuses what does not go together, and passes the server's word on a query that is none", async () => {
    for (const args of [['generation/a', '--query', QUERY], [], ['generation/a', '--dry-run']])
      expect(await world.runHere('reset', ...args)).toMatchObject({ code: 2 });
    const broken = await world.runHere('reset', '--query', 'Nonsense =', '--dry-run');
    expect(broken).toMatchObject({ code: 1, stderr: expect.stringContaining('invalid query') as unknown });
  });

  it(
    "resets all, by one job of Temporal's with the receipt as its reason; what it costs was said before",
    async () => {
      for (const end of ends) end();
      // Their deadline is short, also that of the runs that take them over.
      await expect.poll(openTasks, { timeout: patience(60_000) }).toBe(0);
      const bought = (): number =>
        world.emulator
          .service()
          .ledger.charges({})
          .reduce((sum, { usage }) => sum + usage.total, 0);
      const before = bought();
      const { receipt, reset, failed, charged, credits } = await resetMany('--yes', '--timeout', '10m');
      expect({ reset, failed, open: charged.open }).toEqual({ reset: ALL, failed: 0, open: 0 });
      expect(await failures()).toEqual([]);
      expect(charged.ended).toEqual({ COMPLETED: ALL - KINDS.lost, FAILED: KINDS.lost });
      expect(charged.credits).toBe(bought() - before);
      expect(charged.credits).toBe(credits.low); // what had no known end was not bought
      const { events = [] } = await world.client.workflow
        .getHandle(handles[0]?.workflowId ?? '')
        .fetchHistory();
      expect(JSON.stringify(events)).toContain(receipt);
      await expect
        .poll(async () => (await resetMany('--dry-run')).runs, { timeout: patience(60_000) })
        .toBe(KINDS.lost);
    },
    patience(600_000),
  );
});
