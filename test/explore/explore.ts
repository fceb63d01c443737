import { Random } from '../chaos/random.ts';
import { actsAt, findAct } from './acts.ts';
import { type Cell, cellName, type FleetCell, judge, playCell, playTogether, type Shown } from './cell.ts';
import { FLEET_ACTS, type FleetAct, THROUGHOUT } from './fleet.ts';
import { matches } from './matches.ts';
import { isEvent, type Moment, momentsOf } from './moments.ts';
import { placeName } from './places.ts';
import { Play } from './play.ts';
import { SCENES, type Scene } from './scenes.ts';
import { shareOf } from './share-of.ts';
import { openStage, type Stage } from './stage.ts';

export interface ExploreOptions {
  /** Only these scenes, or parts of their names. */
  only?: string | undefined;
  /** This one cell alone; with `*` for any text, all that are so named. */
  cell?: string | undefined;
  /** These cells alone, by their whole names. */
  cells?: readonly string[] | undefined;
  /** The i-th of n shares of all cells, from 1. */
  shard?: { index: number; of: number } | undefined;
  /** So many cells, chosen by a seed. */
  sample?: { cells: number; seed: number } | undefined;
  /** How often each cell is played. */
  times?: number | undefined;
  /** How many are played side by side. */
  sideBySide?: number | undefined;
  say: (line: string) => void;
}

export interface Violation {
  scene: string;
  moment: string;
  act: string;
  why: string;
  /** The command that plays the cell again. */
  repeat: string;
  /**
   * The cell was asked for alone, or broke the rule again when it was played with little beside it: else the machine was too
   * busy for a policy in seconds.
   */
  isRepeated: boolean;
}

export interface Exploration {
  scenes: number;
  moments: number;
  acts: number;
  cells: number;
  /** Cells whose moment did not come, or that had nothing to act on. */
  missed: number;
  seconds: number;
  violations: Violation[];
}

/** Cells of one act of the fleet's that stand side by side. */
const TOGETHER = 48;
/** Cells that one stage plays: each at a place of its own, and a stage is not asked to remember more. */
const PLACES = 160;
const SIDE_BY_SIDE = 16;
/** Stages that are played at once: cells wait most of their time. */
const STAGES = 5;
const REHEARSED_WITHIN = 60_000;
/** More at once make each other's first workflow tasks time out, on a worker that has just started. */
const REHEARSED_AT_ONCE = 6;
/** A cell that broke the rule is played again so often, with little beside it. */
const AGAIN = 3;
const AGAIN_AT_ONCE = 4;
/** Of one act of the fleet's so many stand side by side then. */
const AGAIN_TOGETHER = 12;
/** Scenes of a sample: each is rehearsed. */
const SAMPLED_SCENES = 6;

/** Plays the cells that are asked for, and tells which break the rule. */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const begin = Date.now();
  const seconds = (): number => Math.round((Date.now() - begin) / 1_000);
  const { say } = options;
  const { cells, moments } = await chooseCells(options);
  say(`${cells.length} cells of ${moments} moments, ${seconds()} s`);
  const shown: Shown[] = [];
  const found: Omit<Violation, 'isRepeated'>[] = [];
  const broken = new Map<string, Cell | FleetCell>();
  await sideBySide(sharesOf(cells), STAGES, async (share) => {
    await play(share, options.sideBySide ?? SIDE_BY_SIDE, (one) => {
      shown.push(one);
      for (const why of one.why) {
        const violation = violationOf(one.cell, why);
        found.push(violation);
        broken.set(cellName(one.cell), one.cell);
        say(`${why}\n  ${violation.repeat}`);
      }
    });
    say(`${shown.length} of ${cells.length} cells, ${seconds()} s`);
  });
  const repeated = namedAlone(options) !== undefined ? undefined : await playAgain([...broken.values()], say);
  const violations = found.map((violation) => ({
    ...violation,
    isRepeated: repeated === undefined || repeated.has(violation.repeat),
  }));
  return {
    scenes: new Set(cells.map(({ scene }) => scene)).size,
    moments,
    acts: new Set(cells.map(({ act }) => act.name)).size,
    cells: shown.length,
    missed: shown.filter(({ kind }) => kind === 'missed').length,
    seconds: seconds(),
    violations,
  };
}

/** The cells that are asked for by their whole names. */
function namedAlone({ cell, cells }: ExploreOptions): readonly string[] | undefined {
  return cells ?? (cell === undefined || cell.includes('*') ? undefined : [cell]);
}

/** @returns the commands of those cells that break the rule again */
async function playAgain(
  cells: readonly (Cell | FleetCell)[],
  say: ExploreOptions['say'],
): Promise<ReadonlySet<string>> {
  const repeated = new Set<string>();
  const often = cells.flatMap((cell) => Array.from({ length: AGAIN }, () => cell));
  for (const share of sharesOf(often, AGAIN_TOGETHER))
    await play(share, AGAIN_AT_ONCE, ({ cell, why }) => {
      for (const one of why) {
        const { repeat } = violationOf(cell, one);
        repeated.add(repeat);
        say(`again: ${one}\n  ${repeat}`);
      }
    });
  return repeated;
}

/** What one stage plays: cells of one act of the fleet's, or any others. */
type Share = { act: FleetAct; cells: FleetCell[] } | { act?: never; cells: Cell[] };

async function play(share: Share, atOnce: number, note: (shown: Shown) => void): Promise<void> {
  const { act, cells } = share;
  await using stage = await openStage({ ...cells[0]?.scene.stage, ...act?.stage, places: cells.length });
  if (act === undefined)
    await sideBySide(cells, atOnce, async (cell, index) =>
      note(await playCell(stage, cell, placeName(index))),
    );
  else for (const one of await playTogether(stage, act, cells)) note(one);
}

/** Those that go on longest after all the others come first. */
function sharesOf(cells: readonly (Cell | FleetCell)[], together = TOGETHER): Share[] {
  const ofFleet = Map.groupBy(cells.filter(isFleetCell), ({ act }) => act);
  return [
    ...[...ofFleet].flatMap(([act, some]) => split(some, together).map((cells): Share => ({ act, cells }))),
    ...split(
      cells.filter((cell): cell is Cell => !isFleetCell(cell)),
      PLACES,
    ).map((cells): Share => ({ cells })),
  ];
}

/** A cell of the fleet's names an act of the fleet's. */
function isFleetCell(cell: Cell | FleetCell): cell is FleetCell {
  return FLEET_ACTS.some(({ name }) => name === cell.act.name);
}

/** Those whose scenes have the same stage, together, in shares of nearly the same size. */
function split<T extends { scene: Scene }>(items: readonly T[], size: number): T[][] {
  const alike = Map.groupBy(items, ({ scene }) => JSON.stringify(scene.stage));
  return [...alike.values()].flatMap((some) => {
    const shares = Math.ceil(some.length / size);
    return Array.from({ length: shares }, (_, index) => some.filter((_, nth) => nth % shares === index));
  });
}

function violationOf(cell: Cell | FleetCell, why: string): Omit<Violation, 'isRepeated'> {
  const { scene, moment, act } = cell;
  const repeat = `npm run explore -- --cell '${cellName(cell)}'`;
  return { scene: scene.name, moment, act: act.name, why, repeat };
}

/** The cells that are asked for, by a rehearsal of their scenes. */
export async function chooseCells(
  options: ExploreOptions,
): Promise<{ cells: (Cell | FleetCell)[]; moments: number }> {
  const { only, cell, shard, sample, times = 1, say } = options;
  const repeated = <T>(cells: T[]): T[] => Array.from({ length: times }, () => cells).flat();
  const alone = namedAlone(options);
  if (alone !== undefined) return { cells: repeated(alone.map(readCell)), moments: alone.length };
  const isNamed = (name: string): boolean =>
    (only === undefined || name.includes(only)) &&
    (cell === undefined || matches(cell.split('/')[0] ?? '', name));
  const named = SCENES.filter(({ name }) => isNamed(name));
  const random = new Random(sample?.seed ?? 0);
  const scenes = sample === undefined ? named : drawn(named, SAMPLED_SCENES, random);
  const all = [...(await rehearse(scenes, say))].map(([scene, rehearsed]) => {
    const moments = toldMoments(scene, rehearsed);
    const cells = cellsOf(scene, moments).filter((one) => cell === undefined || matches(cell, cellName(one)));
    say(`${scene.name}: ${moments.length} moments, ${cells.length} cells`);
    return { moments, cells };
  });
  const moments = all.flatMap((one) => one.moments).length;
  const cells = all.flatMap((one) => one.cells);
  if (sample !== undefined) return { cells: sampleOf(cells, sample.cells, random), moments };
  const { index, of } = shard ?? { index: 1, of: 1 };
  return { cells: repeated(cells.filter((cell) => shareOf(cellName(cell), of) === index)), moments };
}

/** The moments that no other scene has, and of children that do the same those of one. */
function toldMoments({ begins, twins }: Scene, moments: readonly Moment[]): Moment[] {
  // Where it has not come to pass this time, all are its own.
  const first = Math.max(
    0,
    moments.findIndex(({ name }) => name === begins),
  );
  return moments.slice(first).filter(({ name }) => twins?.test(name.slice(name.indexOf(' ') + 1)) !== true);
}

/** Every act at every moment. */
function cellsOf(scene: Scene, moments: readonly Moment[]): (Cell | FleetCell)[] {
  const held = moments.filter((moment) => !isEvent(moment));
  return [
    ...moments.flatMap((moment) =>
      actsAt(moment, scene).map((act): Cell => ({ scene, moment: moment.name, act })),
    ),
    ...FLEET_ACTS.flatMap((act) => {
      const at = held.filter((moment) => act.fits?.(moment) !== false).map(({ name }) => name);
      return (act.act === undefined ? [THROUGHOUT] : at).map((moment): FleetCell => ({ scene, moment, act }));
    }),
  ];
}

/** @throws RangeError where there is no such scene or act */
function readCell(text: string): Cell | FleetCell {
  const [sceneName = '', moment = '', actName = ''] = text.split('/');
  const scene = SCENES.find(({ name }) => name === sceneName);
  const fleetAct = FLEET_ACTS.find(({ name }) => name === actName);
  const act = findAct(actName);
  if (scene === undefined) throw new RangeError(`there is no scene "${sceneName}"`);
  if (fleetAct !== undefined) return { scene, moment, act: fleetAct };
  if (act === undefined) throw new RangeError(`there is no act "${actName}"`);
  return { scene, moment, act };
}

/** Plays each scene once, undisturbed: its moments are what has happened then. */
async function rehearse(
  scenes: readonly Scene[],
  say: (line: string) => void,
): Promise<Map<Scene, Moment[]>> {
  const rehearsed = new Map<Scene, Moment[]>();
  for (const some of Map.groupBy(scenes, ({ stage }) => JSON.stringify(stage)).values()) {
    await using stage = await openStage({ ...some[0]?.stage, places: some.length });
    await sideBySide(some, REHEARSED_AT_ONCE, async (scene, index) => {
      rehearsed.set(scene, await rehearseOne(stage, scene, placeName(index), say));
    });
  }
  return rehearsed;
}

async function rehearseOne(
  stage: Stage,
  scene: Scene,
  place: string,
  say: (line: string) => void,
): Promise<Moment[]> {
  const play = new Play(stage, scene, place);
  await play.begin();
  await play.end(REHEARSED_WITHIN * stage.slowness);
  await play.clear();
  for (const why of await judge(play)) say(`${scene.name}, with nothing done to it: ${why}`);
  const { events } = await play.handle.fetchHistory();
  return momentsOf(events ?? [], play.watch.passed);
}

/** Of the fleet's acts one alone: each wants a stage of its own. And none that takes minutes. */
function sampleOf(cells: readonly (Cell | FleetCell)[], count: number, random: Random): (Cell | FleetCell)[] {
  const act = random.pick(FLEET_ACTS);
  return drawn(
    cells.filter((cell) => (isFleetCell(cell) ? cell.act === act : cell.act.bound === undefined)),
    count,
    random,
  );
}

function drawn<T>(items: readonly T[], count: number, random: Random): T[] {
  return items
    .map((item) => ({ item, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ item }) => item);
}

async function sideBySide<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const walk = async (): Promise<void> => {
    for (const [index, item] of queue) await work(item, index);
  };
  await Promise.all(Array.from({ length: atOnce }, walk));
}
