import { h } from '../preact.js';
import { changed } from '../store.js';

/**
 * What a list listens to, so that nothing in it moves while somebody is about to choose an entry: the pointer is
 * over it or the focus in it. Entries are then updated where they are, and others wait.
 *
 * @param {{ held: boolean, stale: boolean }} list
 * @param {() => void} refresh
 */
export function hold(list, refresh) {
  /** @param {boolean} held */
  const set = (held) => {
    if (list.held === held) return;
    list.held = held;
    if (!held && list.stale) refresh();
    changed();
  };
  return {
    onPointerEnter: (/** @type {PointerEvent} */ event) => {
      if (event.pointerType === 'mouse') set(true);
    },
    onPointerLeave: (/** @type {PointerEvent & { currentTarget: HTMLElement }} */ { currentTarget }) => {
      set(currentTarget.querySelector(':focus-visible') !== null);
    },
    // Only where the focus shows: it also stays on what was clicked.
    onFocusIn: (/** @type {FocusEvent} */ { target }) => {
      if (target instanceof Element && target.matches(':focus-visible')) set(true);
    },
    onFocusOut: (
      /** @type {FocusEvent & { currentTarget: HTMLElement }} */ { currentTarget, relatedTarget },
    ) => {
      const inside = relatedTarget instanceof Node && currentTarget.contains(relatedTarget);
      const besides = currentTarget.matches(':hover') || document.querySelector('dialog[open]') !== null;
      if (!inside && !besides) set(false);
    },
  };
}

/**
 * Says that a list that is held has news, and shows them on request. The line is always there, so that nothing moves
 * when it gets its text.
 *
 * @param {{ held: boolean, stale: boolean }} list
 * @param {() => void} refresh
 */
export function heldBack({ held, stale }, refresh) {
  const waiting = held && stale;
  return h(
    'p',
    { class: 'held-back' },
    waiting ? 'There is news; the list stands still while you are in it. ' : '',
    waiting ? h('button', { type: 'button', class: 'quiet', onClick: refresh }, 'Show it') : null,
  );
}
