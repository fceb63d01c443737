import { fileURLToPath } from 'node:url';
import * as activities from './activities.ts';
import { runWorker } from './run-worker.ts';

/** The baseline "by hand": what a good engineer has after an afternoon. It loses, repeats and leaks nothing, as long as nothing goes wrong. */
await runWorker(fileURLToPath(new URL('workflows.ts', import.meta.url)), activities);
