import { type Act, isOver } from './act.ts';
import { isTelling, type Moment } from './moments.ts';
import { RESETS } from './resets.ts';
import type { Scene } from './scenes.ts';
import { shareOf } from './share-of.ts';
import { SINGLE } from './single-acts.ts';

const POINT = /^(.*) (\d+)(.*)$/;

/** The acts that can be done to a scene at a moment. */
export function actsAt(moment: Moment, scene: Scene): Act[] {
  const resets = RESETS.flatMap(({ name, isCompound = false, act }) => {
    if (isCompound && !isTelling(moment)) return [];
    if (name.startsWith('cancel') && isOver(moment)) return [];
    // Without any messages it is the same as with them.
    if (name.endsWith('without messages') && moment.messages === 0) return [];
    const all = Array.from({ length: moment.points }, (_, index) => index + 1);
    // Where it is under way, the points between differ by nothing that the ones at the ends do not show.
    const ends = [...new Set([all[0], all.at(-1)])].flatMap((point) => point ?? []);
    // Those that do more are done to one of them at each moment, half of them to the first.
    const isLast = shareOf(`${scene.name}/${moment.name}/${name}`, 2) === 1;
    const points = isCompound
      ? ends.slice(isLast ? -1 : 0, isLast ? undefined : 1)
      : isOver(moment)
        ? all
        : ends;
    return points.map(
      (point): Act => ({ name: name.replace('#', String(point)), act: (play) => act(play, point) }),
    );
  });
  return [...resets, ...SINGLE.filter(({ fits }) => fits?.(moment, scene) !== false)];
}

/** An act by its name, whatever the moment. */
export function findAct(name: string): Act | undefined {
  const [, before, point, after] = POINT.exec(name) ?? [];
  const row = RESETS.find((one) => one.name === `${before} #${after}`);
  if (row !== undefined) return { name, act: (play) => row.act(play, Number(point)) };
  return SINGLE.find((act) => act.name === name);
}
