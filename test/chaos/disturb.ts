import { setTimeout as delay } from 'node:timers/promises';
import { entityId } from '../../src/contract/workflow-ids.ts';
import { resetRun } from '../reset-run.ts';
import type { DisturbanceLog } from './disturbance-log.ts';
import { ASKING, NO_FILES, NO_RECORDS } from './fault-rules.ts';
import type { StormPlan } from './plan.ts';
import type { Disturbance } from './plan-disturbances.ts';
import { type Stage, TASK_QUEUE } from './stage.ts';
import { startAgain } from './start-workflow.ts';
import type { Turns } from './turns.ts';

export interface Happening {
  plan: StormPlan;
  log: DisturbanceLog;
  /** Workflows so far. */
  started: readonly string[];
  turns: Turns;
}

type Kind = Disturbance['kind'];
type Acts = {
  [K in Kind]: (
    disturbance: Extract<Disturbance, { kind: K }>,
    stage: Stage,
    happening: Happening,
  ) => Promise<void>;
};

/** Breaks one thing; returns when it is whole again. */
export async function disturb(stage: Stage, disturbance: Disturbance, happening: Happening): Promise<void> {
  const { kind, at: _, ...about } = disturbance;
  happening.log.happened(kind, about);
  // The table is typed by kind, which TypeScript cannot follow through an index.
  const act = ACTS[kind] as (disturbance: Disturbance, stage: Stage, happening: Happening) => Promise<void>;
  await act(disturbance, stage, happening);
  happening.log.happened(`${kind}: done`);
}

const ACTS: Acts = {
  'worker killed': async ({ worker, gently }, { workers }, { log, turns }) =>
    await turns.take(`worker ${worker}`, async () => {
      log.killed(Date.now());
      log.count('worker.killed');
      await workers[worker]?.restart(gently);
      // Told to stop, it finishes what is in flight, but has only five seconds for it.
      log.killed(Date.now());
    }),
  'worker frozen': async ({ worker, for: milliseconds }, { workers }, { log, turns }) =>
    await turns.take(`worker ${worker}`, async () => {
      const from = Date.now();
      if ((await workers[worker]?.freeze(milliseconds)) !== true) return;
      log.frozen(from, Date.now());
      log.count('worker.frozen');
    }),
  'receiver restarted': async (_, { receiver }, { log, turns }) => {
    await turns.take('receiver', () => receiver.restart());
    log.count('receiver.restarted');
  },
  'receivers away': async ({ for: milliseconds }, { gateway, receiver }, { log, turns }) => {
    log.count('receiver.away');
    gateway.away('', true);
    await turns.take('receiver', async () => {
      await receiver.stop();
      await delay(milliseconds);
      receiver.start();
    });
    gateway.away('', false);
  },
  'temporal restarted': async (_, stage, happening) => {
    await withoutTemporal(stage, happening, 0);
    happening.log.count('temporal.restarted');
  },
  'temporal away': async ({ for: milliseconds }, stage, happening) => {
    await withoutTemporal(stage, happening, milliseconds);
    happening.log.count('temporal.away');
  },
  'temporal frozen': async ({ for: milliseconds }, { temporal }, { log, turns }) =>
    await turns.take('temporal', async () => {
      const from = Date.now();
      if (!(await temporal.freeze(milliseconds))) return;
      log.frozen(from, Date.now());
      log.count('temporal.frozen');
    }),
  'api hangs': async ({ for: milliseconds }, { emulator }, { log }) => {
    const from = Date.now();
    await emulator.hang(milliseconds);
    log.frozen(from, Date.now());
    log.count('api.hung');
  },
  'no file can be fetched': async ({ for: milliseconds }, { emulator }, { log }) => {
    log.count('files.away');
    await emulator.during(NO_FILES, milliseconds);
  },
  'no record can be read': async ({ for: milliseconds }, { emulator }, { log }) => {
    log.count('records.away');
    await emulator.during(NO_RECORDS, milliseconds);
  },
  'run reset': async ({ run, point, again }, stage, happening) => {
    const targets = resettable(happening);
    const workflowId = targets[Math.floor(run * targets.length)];
    if (workflowId === undefined || !(await reset(stage, happening, workflowId, point))) return;
    if (again === undefined) return;
    await delay(again.after);
    if (await reset(stage, happening, workflowId, again.point)) happening.log.count('run.reset-again');
  },
  'asking run reset': async ({ run, point }, stage, happening) => {
    const asking = await whoAsks(stage);
    const workflowId = asking[Math.floor(run * asking.length)];
    if (workflowId === undefined) return;
    if (await reset(stage, happening, workflowId, point)) happening.log.count('run.reset-asking');
  },
  'run terminated': async ({ run }, { client }, { plan, log, started }) => {
    const workflowId = started[Math.floor(run * started.length)] ?? '';
    const start = plan.starts.find((planned) => planned.workflowId === workflowId);
    if (start === undefined) return;
    try {
      const { runId } = await client.workflow.getHandle(workflowId).describe();
      await client.workflow.getHandle(workflowId, runId).terminate('a storm');
      log.reset(workflowId, Date.now());
      log.happened('terminated', { workflowId, runId });
      log.count('run.terminated');
      await startAgain(client, start, runId);
    } catch {
      // It has closed already, or Temporal is away.
    }
  },
  'entity terminated': async ({ entity }, { client }, { log }) => {
    try {
      await client.workflow.getHandle(entityId(entity, 'default', TASK_QUEUE)).terminate('a storm');
    } catch {
      return; // it has never been needed, or Temporal is away
    }
    if (entity === 'unclaimed-tasks') log.evidenceForgotten(Date.now());
    log.count(`${entity}.terminated`);
  },
};

async function withoutTemporal(
  { temporal }: Stage,
  { log, turns }: Happening,
  milliseconds: number,
): Promise<void> {
  await turns.take('temporal', async () => {
    const from = Date.now();
    await temporal.stop();
    await delay(milliseconds);
    await temporal.start();
    log.away(from, Date.now());
  });
}

/** @returns whether it was; refused where Temporal is away, or a step was not started */
async function reset(
  { client }: Stage,
  { log }: Happening,
  workflowId: string,
  point: number,
): Promise<boolean> {
  const at = await resetRun(client, workflowId, point).catch(() => undefined);
  if (at === undefined) return false;
  log.reset(workflowId, at);
  log.happened('reset', { workflowId });
  log.count('run.reset');
  return true;
}

/** Started workflows, and steps of started pipelines (which may not have come to them yet). */
function resettable({ plan, started }: Happening): string[] {
  const running = new Set(started);
  const steps = plan.generations.filter(({ pipeline }) => pipeline !== undefined && running.has(pipeline));
  return [...started, ...steps.map(({ workflowId }) => workflowId)];
}

async function whoAsks({ client }: Stage): Promise<string[]> {
  const query = `TaskQueue = '${TASK_QUEUE}' AND ExecutionStatus = 'Running' AND DarkroomState = 'needs a decision'`;
  const asking: string[] = [];
  try {
    for await (const { workflowId } of client.workflow.list({ query })) {
      if (workflowId.includes(ASKING)) asking.push(workflowId);
    }
  } catch {
    // Temporal is away.
  }
  return asking.sort();
}
