import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WorkflowExecutionAlreadyStartedError } from '@temporalio/common';
import { resetRun } from '../reset-run.ts';
import { type Account, account } from './account.ts';
import { collect } from './collect.ts';
import { DisturbanceLog } from './disturbance-log.ts';
import { type Disturbance, type PlannedStart, planStorm, type StormPlan } from './plan.ts';
import { rescue } from './rescue.ts';
import { type Stage, setStage, TASK_QUEUE } from './stage.ts';
import { findTorn } from './stored-files.ts';
import { resubmissions } from './storm-policy.ts';
import { sizeFor } from './storm-size.ts';
import { untilDone } from './until-done.ts';

export interface StormOptions {
  /** Logical generations: single ones and steps of pipelines. */
  generations: number;
  seed: number;
  /** False: with workers that buy again whatever lost its answer. */
  reconcile: boolean;
  /** Takes a line now and then. */
  say: (line: string) => void;
}

export interface StormReport {
  seed: number;
  generations: number;
  /** What went wrong on purpose, how often. */
  faults: Record<string, number>;
  charges: number;
  /** Charges beyond those that the policy asked for. */
  extraCharges: number;
  /** Generations that ended without their result, and results that nobody got. */
  lost: number;
  stuck: number;
  /** Runs that wait for a person. */
  waiting: number;
  /** Files that are wrong, cut off or not there. */
  torn: number;
  getsPerGeneration: number;
}

/** What the counts stand for, line by line, and where the storm's logs are. */
export interface StormResult {
  report: StormReport;
  findings: string[];
  /** Kept only where something was found. */
  folder: string;
}

/** src/workflows/generation: a row of unknown submits is not bought on forever. */
const MAX_UNKNOWNS = 5;

/** Runs a whole storm: the same seed breaks the same things at the same times. */
export async function runStorm({ generations, seed, reconcile, say }: StormOptions): Promise<StormResult> {
  const size = sizeFor(generations);
  const plan = planStorm(seed, generations, size);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-storm-'));
  const log = new DisturbanceLog();
  const stage = await setStage({ seed, size, reconcile, folder });
  try {
    say(`seed ${seed}: ${plan.starts.length} workflows over ${Math.round(size.window / 1_000)} s; ${folder}`);
    const topUps = setInterval(
      () => void stage.emulator.topUp('default', 10_000).catch(() => undefined),
      1_000,
    );
    try {
      await blow(stage, plan, log, say);
      const done = await untilDone(stage.client, size.patience, say);
      if (done) await rescue(stage, plan, log, size.patience, say);
    } finally {
      clearInterval(topUps);
    }
    await stage.emulator.clearFaults();
    const facts = await collect(plan, {
      client: stage.client,
      emulator: stage.emulator,
      taskQueue: TASK_QUEUE,
      told: stage.gateway.told,
      disturbances: log,
    });
    const filesUrl = `${new URL(stage.emulator.baseUrl).origin}/files`;
    const torn = await findTorn(facts.results, stage.outputs, filesUrl);
    const verdict = account(facts.generations, facts.pipelines, facts.purchases, {
      resubmissions,
      maxUnknowns: MAX_UNKNOWNS,
    });
    const findings = listFindings({ ...verdict, torn });
    const report: StormReport = {
      seed,
      generations: facts.generations.length,
      faults: { ...sorted(facts.faults), ...sorted(Object.fromEntries(log.counts)) },
      charges: facts.purchases.length,
      extraCharges: verdict.extra.length,
      lost: verdict.lost.length,
      stuck: verdict.stuck.length,
      waiting: verdict.waiting.length,
      torn: torn.length,
      getsPerGeneration: Math.round((facts.gets / facts.generations.length) * 100) / 100,
    };
    await stage.close();
    if (findings.length === 0) await rm(folder, { recursive: true, force: true });
    return { report, findings, folder };
  } finally {
    await stage.close();
  }
}

function listFindings(found: Account & { torn: Account['extra'] }): string[] {
  return Object.entries(found).flatMap(([kind, list]) =>
    list.map(({ workflowId, what }: Account['extra'][number]) => `${kind}: ${workflowId}: ${what}`),
  );
}

function sorted(counts: Record<string, number>): Record<string, number> {
  return Object.fromEntries(Object.entries(counts).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Everything that is planned, each at its time; returns when all of it has happened. */
async function blow(
  stage: Stage,
  plan: StormPlan,
  log: DisturbanceLog,
  say: (line: string) => void,
): Promise<void> {
  const begin = Date.now();
  const started: string[] = [];
  const turns = new Turns();
  const events = [
    ...plan.starts.map((start) => ({ at: start.at, act: () => startOne(stage, start, started) })),
    ...plan.disturbances.map((disturbance) => ({
      at: disturbance.at,
      act: () => disturb(stage, disturbance, { plan, log, started, turns }),
    })),
  ].sort((a, b) => a.at - b.at);
  const happening: Promise<void>[] = [];
  let told = 0;
  for (const { at, act } of events) {
    await delay(Math.max(0, begin + at - Date.now()));
    happening.push(act());
    if (at - told < 15_000) continue;
    told = at;
    say(
      `${Math.round(at / 1_000)} s: ${started.length} started, ${[...log.counts].map(([kind, count]) => `${kind} ${count}`).join(', ')}`,
    );
  }
  await Promise.all(happening);
}

async function startOne({ client }: Stage, start: PlannedStart, started: string[]): Promise<void> {
  for (;;) {
    try {
      await client.workflow.start(start.type, {
        taskQueue: TASK_QUEUE,
        workflowId: start.workflowId,
        workflowIdReusePolicy: 'REJECT_DUPLICATE',
        args: [start.request],
      });
      break;
    } catch (error) {
      // An earlier try may have arrived although its answer did not.
      if (error instanceof WorkflowExecutionAlreadyStartedError) break;
      await delay(300);
    }
  }
  started.push(start.workflowId);
}

interface Happening {
  plan: StormPlan;
  log: DisturbanceLog;
  /** Workflows so far. */
  started: readonly string[];
  turns: Turns;
}

async function disturb(stage: Stage, disturbance: Disturbance, happening: Happening): Promise<void> {
  const { log, turns } = happening;
  switch (disturbance.kind) {
    case 'worker killed': {
      const worker = stage.workers[disturbance.worker];
      await turns.take(`worker ${disturbance.worker}`, async () => {
        const from = Date.now();
        log.killed(from);
        log.count('worker.killed');
        await worker?.restart(disturbance.gently);
        // Told to stop, it finishes what is in flight, but has only five seconds for it.
        log.killed(Date.now());
      });
      return;
    }
    case 'receiver restarted':
      await turns.take('receiver', () => stage.receiver.restart());
      log.count('receiver.restarted');
      return;
    case 'receivers away':
      log.count('receiver.away');
      stage.gateway.away = true;
      await turns.take('receiver', async () => {
        await stage.receiver.stop();
        await delay(disturbance.for);
        stage.receiver.start();
      });
      stage.gateway.away = false;
      return;
    case 'temporal restarted':
    case 'temporal away': {
      const away = disturbance.kind === 'temporal away' ? disturbance.for : 0;
      await turns.take('temporal', async () => {
        const from = Date.now();
        await stage.temporal.stop();
        await delay(away);
        await stage.temporal.start();
        log.temporalAway(from, Date.now());
      });
      log.count(away === 0 ? 'temporal.restarted' : 'temporal.away');
      return;
    }
    case 'run reset': {
      const targets = resettable(happening);
      const workflowId = targets[Math.floor(disturbance.run * targets.length)];
      if (workflowId === undefined) return;
      // Refused where Temporal is away, or the step was not started.
      const at = await resetRun(stage.client, workflowId, disturbance.point).catch(() => undefined);
      if (at === undefined) return;
      log.reset(workflowId, at);
      log.count('run.reset');
    }
  }
}

/** Started workflows, and steps of started pipelines (which may not have come to them yet). */
function resettable({ plan, started }: Happening): string[] {
  const running = new Set(started);
  const steps = plan.generations.filter(({ pipeline }) => pipeline !== undefined && running.has(pipeline));
  return [...started, ...steps.map(({ workflowId }) => workflowId)];
}

/** Whatever is done to one thing happens one after the other. */
class Turns {
  readonly #last = new Map<string, Promise<void>>();

  take(thing: string, act: () => Promise<void>): Promise<void> {
    const turn = (this.#last.get(thing) ?? Promise.resolve()).then(act);
    this.#last.set(thing, turn);
    return turn;
  }
}
