/** @import { State } from './types.d.ts' */

/**
 * All that the page shows. Whoever changes it calls `changed` afterwards.
 *
 * @type {State}
 */
export const state = {
  connection: 'connecting',
  route: { view: 'tasks', id: '' },
  view: 'tasks',
  overview: null,
  counters: null,
  tasks: {
    filter: { status: '', model: '', workspace: '', search: '' },
    cursors: [],
    list: [],
    more: false,
    loaded: false,
    held: false,
    stale: false,
  },
  openTask: null,
  deliveries: { endpoint: '', list: [], loaded: false, held: false, stale: false },
  openDelivery: null,
  ledger: { summary: null, search: '' },
  secrets: {},
  question: null,
  notice: null,
  announcement: '',
};

/** @type {() => void} */
let draw = () => {};
let due = false;

/** The page is to be drawn with the next frame, however often this is called before. */
export function changed() {
  if (due) return;
  due = true;
  requestAnimationFrame(() => {
    due = false;
    draw();
  });
}

/** @param {() => void} how draws the page from the state */
export function drawWith(how) {
  draw = how;
  changed();
}

/**
 * Tells what has come of an action, on the screen and to screen readers.
 *
 * @param {string} text
 * @param {boolean} [bad]
 */
export function notify(text, bad = false) {
  state.notice = { text, bad };
  state.announcement = text;
  clearTimeout(fading);
  if (!bad) {
    fading = setTimeout(() => {
      state.notice = null;
      changed();
    }, 6000);
  }
  changed();
}

/** @type {ReturnType<typeof setTimeout> | undefined} */
let fading;

/**
 * Asks before something that cannot be undone, and does it.
 *
 * @param {{ text: string, detail: string, action: string }} question
 * @param {() => Promise<string>} act what it answers is told
 * @returns {Promise<string | undefined>} undefined: it was left
 */
export async function confirmed(question, act) {
  return (await ask(question)) ? await act() : undefined;
}

/**
 *
 * @param {{ text: string, detail: string, action: string }} question
 * @returns {Promise<boolean>}
 */
function ask(question) {
  return new Promise((resolve) => {
    state.question = {
      ...question,
      answer: (yes) => {
        state.question = null;
        changed();
        resolve(yes);
      },
    };
    changed();
  });
}
