import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Milliseconds. */
interface Times {
  /** From the start until its garbage is given back. */
  first: number;
  /** How long a process has to have been idle later on. */
  idle: number;
}

const TIMES: Times = { first: 3_000, idle: 60_000 };
/** A process that takes less of a processor is idle: polls for work take a hundredth. */
const IDLE_SHARE = 0.05;

/**
 * Gives the memory back that a start, or a load, has left behind. V8 by itself keeps the room for new objects as large
 * as it was needed once: 60 MB of an idle worker. It takes 0.2 s, in which nothing else is done, so it is for idle ones.
 */
export function giveMemoryBack({ first, idle }: Times = TIMES): void {
  let used = process.cpuUsage();
  let at = performance.now();
  let isDue = true;
  const look = (): void => {
    const { user, system } = process.cpuUsage(used);
    const share = (user + system) / 1_000 / (performance.now() - at);
    used = process.cpuUsage();
    at = performance.now();
    if (share >= IDLE_SHARE) isDue = true;
    else if (isDue) {
      collectGarbage();
      isDue = false;
    }
    setTimeout(look, idle).unref();
  };
  setTimeout(look, first).unref();
}

/** Node has no call for it without a flag, which V8 also takes later. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as (options: object) => void; // V8's own
  collect({ type: 'major', flavor: 'last-resort' });
}
