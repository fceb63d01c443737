/** Nobody is there to do what a command asks of a run. The message names the task queue and the setting. */
export class NoWorker extends Error {
  override readonly name = 'NoWorker';
}
