import { runWorker } from '../../../src/worker/run-worker.ts';

/** The worker, with few places for submits. Arguments: how many, and `--no-receiver` for one without. */
const [places, noReceiver] = process.argv.slice(2);
await runWorker({
  worker: true,
  receiver: noReceiver === undefined,
  preflight: true,
  activitySlots: Number(places),
});
