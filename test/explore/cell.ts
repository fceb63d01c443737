import { setTimeout as delay } from 'node:timers/promises';
import { withRecord } from '../../src/temporal/bill/run-bill.ts';
import { mostAtOnce, unlikeLedger } from '../chaos/cap-books.ts';
import { type Act, NothingThere } from './act.ts';
import { collect } from './facts.ts';
import { type FleetAct, THROUGHOUT } from './fleet.ts';
import { isEvent, untilEvent } from './moments.ts';
import { placeName } from './places.ts';
import { Play } from './play.ts';
import { account } from './rule.ts';
import type { Scene } from './scenes.ts';
import type { Stage } from './stage.ts';

/** One act, done to one scene at one of its moments. */
export interface Cell {
  scene: Scene;
  moment: string;
  act: Act;
}

/** What a cell has shown. */
export interface Shown {
  cell: Cell | FleetCell;
  /** `missed`: its moment has not come, or there was nothing to act on. */
  kind: 'played' | 'missed';
  /** How it breaks the rule, in words. */
  why: string[];
}

/** How long a scene may take to its moment, and to its end after the act, in milliseconds, on a quick machine. */
export const BOUND = 75_000;
/** src/workflows/generation: a row of unknown submits is not bought on forever. */
const MAX_UNKNOWNS = 5;

/** A cell as it is written: `scene/moment/act`. */
export const cellName = ({ scene, moment, act }: Cell | FleetCell): string =>
  `${scene.name}/${moment}/${act.name}`;

/** One act that is done to the whole stage, while a scene stands at one of its moments. */
export interface FleetCell {
  scene: Scene;
  moment: string;
  act: FleetAct;
}

/** How long scenes wait for each other at their moments, in milliseconds. */
const GATHERED = 20_000;

/** Plays cells of one act together, each at a place of its own: it is done once, when all stand at their moments. */
export async function playTogether(
  stage: Stage,
  act: FleetAct,
  cells: readonly FleetCell[],
): Promise<Shown[]> {
  const plays = cells.map(({ scene, moment }, index) => {
    const held = moment === THROUGHOUT ? {} : { held: moment };
    return new Play(stage, scene, placeName(index), {
      ...held,
      ...(act.policy === undefined ? {} : { policy: act.policy }),
    });
  });
  const shown = (index: number, kind: Shown['kind'], why: string[]): Shown[] => {
    const cell = cells[index];
    return cell === undefined ? [] : [{ cell, kind, why }];
  };
  try {
    const begun = await Promise.allSettled(plays.map((play) => play.begin()));
    const gathered = new AbortController();
    const isThere = plays.map(() => act.act === undefined);
    if (act.act !== undefined) {
      const late = delay(GATHERED * stage.slowness);
      await Promise.all(
        plays.map(async (play, index) => {
          const held = play.watch.held.then(() => true);
          const over = play.end(GATHERED * stage.slowness, gathered.signal).then(() => false);
          isThere[index] = await Promise.race([held, over, late.then(() => false)]);
        }),
      );
      gathered.abort();
      await act.act(stage, plays);
    }
    for (const play of plays) play.watch.release();
    const after = act.after?.(stage);
    const all = await Promise.all(
      plays.map(async (play, index) => {
        const failed =
          begun[index]?.status === 'rejected' ? [`could not be started: ${begun[index].reason}`] : [];
        await play.end(Math.max(act.bound ?? 0, play.scene.bound ?? BOUND) * stage.slowness);
        const why = await judge(play).catch((error: unknown) => [`the explorer failed: ${String(error)}`]);
        return shown(index, isThere[index] === true ? 'played' : 'missed', [...failed, ...why]);
      }),
    );
    await after;
    return all.flat();
  } finally {
    stage.hooks.releaseAll();
    await Promise.all(plays.map((play) => play.clear()));
  }
}

/** Plays one cell at a place of its own. */
export async function playCell(stage: Stage, cell: Cell, place: string): Promise<Shown> {
  const { scene, moment, act } = cell;
  const held = isEvent({ name: moment }) ? {} : { held: moment };
  const play = new Play(stage, scene, place, {
    ...held,
    ...(act.policy === undefined ? {} : { policy: act.policy }),
  });
  try {
    act.prepare?.(play);
    await play.begin();
    const isThere = await untilMoment(play, moment);
    const isDone = isThere && (await isPossible(act, play));
    play.watch.release();
    await play.end(Math.max(act.bound ?? 0, scene.bound ?? BOUND) * stage.slowness);
    return { cell, kind: isDone ? 'played' : 'missed', why: await judge(play) };
  } catch (error) {
    return {
      cell,
      kind: 'played',
      why: [`the explorer failed: ${error instanceof Error ? error.stack : String(error)}`],
    };
  } finally {
    play.watch.release();
    await play.clear();
  }
}

async function isPossible(act: Act, play: Play): Promise<boolean> {
  try {
    await act.act(play);
    return true;
  } catch (error) {
    if (error instanceof NothingThere) return false;
    throw error;
  }
}

/** Until its moment has come, or cannot come any more. The people who are asked meanwhile answer. */
async function untilMoment(play: Play, moment: string): Promise<boolean> {
  const isHere = isEvent({ name: moment })
    ? play.untilBegun().then(() => untilEvent(play, moment))
    : play.watch.held.then(() => true);
  const reached = new AbortController();
  const isOver = play.end(BOUND * play.stage.slowness, reached.signal).then(() => false);
  // What comes with the end itself is there in a moment.
  const isMissed = isOver.then(async () => await delay(200, false));
  try {
    return await Promise.race([isHere, isMissed]);
  } finally {
    reached.abort();
    await isOver;
  }
}

/** What breaks the rule, line by line. */
export async function judge(play: Play): Promise<string[]> {
  const { generations, pipelines, purchases, bill: told, recorded } = await collect(play);
  const verdict = account(generations, pipelines, purchases, {
    resubmissions: play.resubmissions,
    maxUnknowns: MAX_UNKNOWNS,
  });
  const { limit = Infinity } = play.scene;
  const spent = mostAtOnce(play.books.charges());
  const over = spent <= limit ? [] : [{ workflowId: '', what: `cost ${spent}, with a limit of ${limit}` }];
  // As `cost --reconcile` tells it.
  const paid = new Map(purchases.map(({ taskId, credits }) => [taskId, credits]));
  const billed = told.map((task) => withRecord(task, paid.get(task.taskId) ?? 0));
  const bill = unlikeLedger(billed, play.books.allCharges(), recorded);
  return Object.entries({ ...verdict, over, bill }).flatMap(([kind, findings]) =>
    findings.map(({ workflowId, what }) => `${kind}: ${workflowId.replace(play.place, '…')} ${what}`),
  );
}
