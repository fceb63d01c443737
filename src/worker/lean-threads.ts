import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/**
 * Of each promise of a workflow the SDK (1.x) keeps where it was made, for the query `__stack_trace`, and looks each frame up
 * in the bundle's source map. With V8's ten frames this takes 7 % more of a worker's time. The first frame is the SDK's own;
 * it knows Promise.race by the three after it.
 */
const FRAMES = 4;

/** Megabytes; V8 takes twice that for new objects. By default that grows to 64 MB, of which workflows' threads need few. */
const SEMI_SPACE = 8;
/** V8's own choice. */
const USUAL_SEMI_SPACE = 0;

/**
 * Makes something whose JavaScript contexts, those of its threads too, keep few frames of a stack, and whose threads have
 * little room for new objects. What was made before or is made later has as much as ever.
 */
export async function withLeanThreads<T>(make: () => Promise<T>): Promise<T> {
  const usual: unknown = runInNewContext('Error.stackTraceLimit');
  setFlags(FRAMES, SEMI_SPACE);
  try {
    return await make();
  } finally {
    setFlags(Number(usual), USUAL_SEMI_SPACE);
  }
}

function setFlags(frames: number, semiSpace: number): void {
  setFlagsFromString(`--stack-trace-limit=${frames}`);
  setFlagsFromString(`--max-semi-space-size=${semiSpace}`);
}
