import { Random } from '../chaos/random.ts';
import { actsAt, findAct } from './acts.ts';
import { type Cell, cellName, type FleetCell, judge, playCell, playTogether, type Shown } from './cell.ts';
import { FLEET_ACTS, THROUGHOUT } from './fleet.ts';
import { knownAt } from './known.ts';
import { isEvent, type Moment, momentsOf } from './moments.ts';
import { placeName } from './places.ts';
import { Play } from './play.ts';
import { SCENES, type Scene } from './scenes.ts';
import { openStage, type Stage } from './stage.ts';

export interface ExploreOptions {
  /** Only these scenes, or parts of their names. */
  only?: string | undefined;
  /** This one cell alone. */
  cell?: string | undefined;
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
  /** The shape that is wanted, of a known violation. */
  known?: string;
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
const TOGETHER = 24;
/** Cells that one stage plays: each at a place of its own, and a stage is not asked to remember more. */
const PLACES = 160;
const SIDE_BY_SIDE = 20;
const REHEARSED_WITHIN = 60_000;

/** Plays the cells that are asked for, and tells which break the rule. */
export async function explore(options: ExploreOptions): Promise<Exploration> {
  const begin = Date.now();
  const seconds = (): number => Math.round((Date.now() - begin) / 1_000);
  const { say } = options;
  const { cells, moments } = await chooseCells(options);
  say(`${cells.length} cells of ${moments} moments, ${seconds()} s`);
  const shown: Shown[] = [];
  const violations: Violation[] = [];
  const note = (one: Shown): void => {
    shown.push(one);
    for (const why of one.why) {
      const violation = violationOf(one.cell, why);
      violations.push(violation);
      if (violation.known === undefined) say(`${why}\n  ${violation.repeat}`);
    }
  };
  const tell = (): void => say(`${shown.length} of ${cells.length} cells, ${seconds()} s`);
  const single = cells.filter((cell): cell is Cell => !isFleetCell(cell));
  for (const share of alike(single, ({ scene }) => scene).flatMap((cells) => sharesOf(cells, PLACES))) {
    await using stage = await openStage({ ...share[0]?.scene.stage, places: share.length });
    await sideBySide(share, options.sideBySide ?? SIDE_BY_SIDE, async (cell, index) => {
      note(await playCell(stage, cell, placeName(index)));
    });
    tell();
  }
  for (const [act, together] of Map.groupBy(cells.filter(isFleetCell), ({ act }) => act)) {
    for (const share of alike(together, ({ scene }) => scene).flatMap((cells) => sharesOf(cells, TOGETHER))) {
      await using stage = await openStage({ ...share[0]?.scene.stage, ...act.stage, places: share.length });
      for (const one of await playTogether(stage, act, share)) note(one);
      tell();
    }
  }
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

/** A cell of the fleet's names an act of the fleet's. */
function isFleetCell(cell: Cell | FleetCell): cell is FleetCell {
  return FLEET_ACTS.some(({ name }) => name === cell.act.name);
}

function sharesOf<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, index) =>
    items.slice(index * size, (index + 1) * size),
  );
}

/** Those whose scenes have the same stage, together. */
function alike<T>(items: readonly T[], sceneOf: (item: T) => Scene): T[][] {
  return [...Map.groupBy(items, (item) => JSON.stringify(sceneOf(item).stage)).values()];
}

function violationOf(cell: Cell | FleetCell, why: string): Violation {
  const { scene, moment, act } = cell;
  const known = knownAt(cellName(cell), why);
  const repeat = `npm run explore -- --cell '${cellName(cell)}'`;
  const violation = { scene: scene.name, moment, act: act.name, why, repeat };
  return known === undefined ? violation : { ...violation, known: known.shape };
}

async function chooseCells(
  options: ExploreOptions,
): Promise<{ cells: (Cell | FleetCell)[]; moments: number }> {
  const { only, cell, shard, sample, times = 1, say } = options;
  const repeated = <T>(cells: T[]): T[] => Array.from({ length: times }, () => cells).flat();
  if (cell !== undefined) return { cells: repeated([readCell(cell)]), moments: 1 };
  const scenes = SCENES.filter(({ name }) => only === undefined || name.includes(only));
  const rehearsed = await rehearse(scenes, say);
  const cells = [...rehearsed].flatMap(([scene, known]) => cellsOf(scene, known));
  const moments = [...rehearsed.values()].flat().length;
  for (const [scene, known] of rehearsed)
    say(`${scene.name}: ${known.length} moments, ${cellsOf(scene, known).length} cells`);
  if (sample !== undefined) return { cells: sampleOf(cells, sample), moments };
  if (shard === undefined) return { cells: repeated(cells), moments };
  const { index, of } = shard;
  return { cells: repeated(cells.filter((_, number) => number % of === index - 1)), moments };
}

/** Every act at every moment. */
function cellsOf(scene: Scene, moments: readonly Moment[]): (Cell | FleetCell)[] {
  const held = moments.filter((moment) => !isEvent(moment)).map(({ name }) => name);
  return [
    ...moments.flatMap((moment) =>
      actsAt(moment, scene).map((act): Cell => ({ scene, moment: moment.name, act })),
    ),
    ...FLEET_ACTS.flatMap((act) =>
      (act.act === undefined ? [THROUGHOUT] : held).map((moment): FleetCell => ({ scene, moment, act })),
    ),
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
  for (const some of alike(scenes, (scene) => scene)) {
    await using stage = await openStage({ ...some[0]?.stage, places: some.length });
    await Promise.all(
      some.map(async (scene, index) =>
        rehearsed.set(scene, await rehearseOne(stage, scene, placeName(index), say)),
      ),
    );
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

/** Of the fleet's acts one alone: each wants a stage of its own. */
function sampleOf(
  cells: readonly (Cell | FleetCell)[],
  { cells: count, seed }: { cells: number; seed: number },
): (Cell | FleetCell)[] {
  const random = new Random(seed);
  const act = random.pick(FLEET_ACTS);
  return cells
    .filter((cell) => !isFleetCell(cell) || cell.act === act)
    .map((cell) => ({ cell, place: random.next() }))
    .sort((a, b) => a.place - b.place)
    .slice(0, count)
    .map(({ cell }) => cell);
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
