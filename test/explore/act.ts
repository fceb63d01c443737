import type { Moment } from './moments.ts';
import type { Play } from './play.ts';
import type { Scene } from './scenes.ts';

/** Something that is done to a scene at a moment. */
export interface Act {
  name: string;
  /** Which moments it can be done at; absent: at each. */
  fits?: (moment: Moment, scene: Scene) => boolean;
  /** How long it may take to its end after it, on a quick machine (ms), where that is longer than usual. */
  bound?: number;
  /** Laid over the scene's policy. */
  policy?: object;
  /** Before the scene begins. */
  prepare?: (play: Play) => void;
  /** @throws NothingThere where there is nothing to do it to */
  act: (play: Play) => Promise<void>;
}

/** There is nothing that the act could be done to: the cell is none. */
export class NothingThere extends Error {}

export const isOver = ({ name }: Moment): boolean =>
  /^event workflow-execution-(completed|failed)/.test(name);

/** A pipeline runs again under another id, and a batch is started again with its rows. */
export const isGeneration = ({ starts }: Scene): boolean => starts('')[0]?.type === 'generation';
