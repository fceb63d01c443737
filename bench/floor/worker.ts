import { fileURLToPath } from 'node:url';
import { submit } from '../by-hand/activities.ts';
import { runWorker } from '../by-hand/run-worker.ts';

/** The baseline "floor": nothing is asked for and nothing is stored. */
await runWorker(fileURLToPath(new URL('workflows.ts', import.meta.url)), { submit });
