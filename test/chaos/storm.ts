import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type Account, account } from '../explore/rule.ts';
import { billed } from './billed.ts';
import { overBudget, overCap, unlikeLedger } from './cap-books.ts';
import { BUDGET_EXCEEDED, collect } from './collect.ts';
import { disturb } from './disturb.ts';
import { DisturbanceLog } from './disturbance-log.ts';
import { keepEvidence } from './evidence.ts';
import { ForeignTasks } from './foreign-tasks.ts';
import { People } from './people.ts';
import { planStorm, type StormPlan } from './plan.ts';
import { rescue } from './rescue.ts';
import { type Stage, setStage, TASK_QUEUE } from './stage.ts';
import { startPlanned } from './start-workflow.ts';
import { findTorn } from './stored-files.ts';
import { resubmissions } from './storm-policy.ts';
import { sizeFor } from './storm-size.ts';
import { Turns } from './turns.ts';
import { untilDone } from './until-done.ts';
import type { MendName } from './without/mends.ts';

export interface StormOptions {
  /** Logical generations: single ones and steps of pipelines. */
  generations: number;
  seed: number;
  /** With workers that lack one of the mends. */
  without?: MendName | undefined;
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
  /** Budgets and caps that were passed. */
  over: number;
  /** Charges that `darkroom cost --reconcile` does not tell as the ledger does. */
  bill: number;
  getsPerGeneration: number;
}

/** What the counts stand for, line by line, and where the storm's logs are, with what explains it (evidence.ts). */
export interface StormResult {
  report: StormReport;
  findings: string[];
  /** Kept only where something was found. */
  folder: string;
}

/** src/workflows/generation: a row of unknown submits is not bought on forever. */
const MAX_UNKNOWNS = 5;

/** Runs a whole storm: the same seed breaks the same things at the same times. */
export async function runStorm({ generations, seed, without, say }: StormOptions): Promise<StormResult> {
  const begun = Date.now();
  const size = sizeFor(generations);
  const plan = planStorm(seed, generations, size);
  const folder = await mkdtemp(join(tmpdir(), 'darkroom-storm-'));
  const log = new DisturbanceLog();
  const stage = await setStage({ seed, size, without, caps: [plan.cap], folder });
  try {
    say(`seed ${seed}: ${plan.starts.length} workflows over ${Math.round(size.window / 1_000)} s; ${folder}`);
    const topUps = setInterval(
      () => void stage.emulator.topUp('default', 10_000).catch(() => undefined),
      1_000,
    );
    const foreign = new ForeignTasks();
    const people = new People(stage, log);
    try {
      foreign.start(stage, size.foreign);
      people.start();
      await blow(stage, plan, log, say);
      foreign.stop();
      const done = await untilDone(stage.client, size.patience, say);
      if (done) await rescue(stage, plan, log, size.patience, say);
    } finally {
      foreign.stop();
      await people.stop();
      clearInterval(topUps);
    }
    log.counts.set('foreign.tasks', foreign.count);
    await stage.emulator.clearFaults();
    const facts = await collect(plan, {
      client: stage.client,
      emulator: stage.emulator,
      taskQueue: TASK_QUEUE,
      told: stage.gateway.told,
      disturbances: log,
    });
    const refused = facts.generations.filter(
      ({ ending }) => ending.kind === 'failed' && ending.type === BUDGET_EXCEEDED,
    );
    log.counts.set('budget.refused', refused.length);
    const filesUrl = `${new URL(stage.emulator.baseUrl).origin}/files`;
    const torn = await findTorn(facts.results, stage.outputs, filesUrl);
    const verdict = account(facts.generations, facts.pipelines, facts.purchases, {
      resubmissions,
      maxUnknowns: MAX_UNKNOWNS,
    });
    const capped = facts.charges.filter(({ model }) => model === plan.cap.model);
    const over = [...overCap(plan.cap, capped), ...overBudget(plan.budgets, facts.charges)];
    const bill = unlikeLedger(await billed(stage, begun), facts.charges, facts.recorded);
    const found = { ...verdict, torn, over, bill };
    const findings = listFindings(found);
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
      over: over.length,
      bill: bill.length,
      getsPerGeneration: Math.round((facts.gets / facts.generations.length) * 100) / 100,
    };
    if (findings.length > 0) {
      await keepEvidence(folder, stage, plan, { findings: Object.values(found).flat(), log });
    }
    await stage.close();
    if (findings.length === 0) await rm(folder, { recursive: true, force: true });
    return { report, findings, folder };
  } finally {
    await stage.close();
  }
}

function listFindings(found: Account & Record<'torn' | 'over' | 'bill', Account['extra']>): string[] {
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
    ...plan.starts.map((start) => ({
      at: start.at,
      act: async () => {
        await startPlanned(stage.client, start);
        started.push(start.workflowId);
      },
    })),
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
