import { changed, state } from './store.js';
import { counted } from './ui/words.js';

/** A screen reader is told what is new this often (ms): at each change it would never come to an end. */
const PAUSE = 10_000;

/** Tells screen readers, now and then, how the tasks stand, where that has changed. */
export function announceNews() {
  setInterval(() => {
    const tasks = state.counters?.tasks;
    if (tasks === undefined) return;
    const { IN_QUEUE, IN_PROGRESS, COMPLETED, FAILED } = tasks;
    const news = `${counted(IN_QUEUE + IN_PROGRESS, 'task')} under way, ${COMPLETED} completed, ${FAILED} failed.`;
    if (news === state.announcement) return;
    state.announcement = news;
    changed();
  }, PAUSE);
}
