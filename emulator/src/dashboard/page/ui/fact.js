/** @import { ComponentChildren } from '../preact.js' */
import { h } from '../preact.js';

/**
 * A term and what it is, for a list of such.
 *
 * @param {string} term
 * @param {ComponentChildren} value
 */
export function fact(term, value) {
  return h('div', { key: term }, h('dt', null, term), h('dd', null, value));
}
