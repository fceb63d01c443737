/**
 * Makes work that may be asked for often, and is done once at a time with a pause after it. Whoever asks meanwhile
 * gets it done once more after the pause.
 *
 * @param {number} pause milliseconds
 * @param {() => Promise<void>} work
 * @returns {() => void}
 */
export function paced(pause, work) {
  let busy = false;
  let again = false;
  return function run() {
    again = busy;
    if (busy) return;
    busy = true;
    work()
      .catch(() => {}) // whatever it was, the stream's own state tells that the emulator is gone
      .finally(() =>
        setTimeout(() => {
          busy = false;
          if (again) run();
        }, pause),
      );
  };
}
