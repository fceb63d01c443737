import { h } from '../preact.js';

const TIME = new Intl.DateTimeFormat('en-GB', { timeStyle: 'medium' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const FULL = new Intl.DateTimeFormat('en-GB', { dateStyle: 'full', timeStyle: 'long' });

/**
 * A time in the reader's zone: of today only the time of day, so that it does not change while it is shown.
 *
 * @param {string} iso
 */
export function time(iso) {
  const date = new Date(iso);
  const today = date.toDateString() === new Date().toDateString();
  const text = today ? TIME.format(date) : `${DAY.format(date)}, ${TIME.format(date)}`;
  return h('time', { dateTime: iso, title: FULL.format(date) }, text);
}
