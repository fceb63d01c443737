/** @import { ComponentChildren } from '../preact.js' */
import { h } from '../preact.js';

/**
 * A term and its number, for a row of such.
 *
 * @param {string} term
 * @param {string} value
 * @param {ComponentChildren} [more] in small
 */
export function figure(term, value, more) {
  return h(
    'div',
    { key: term },
    h('dt', null, term),
    h('dd', null, h('strong', null, value), more === undefined ? null : h('small', null, more)),
  );
}

/**
 * A term and what it is, for a list of such.
 *
 * @param {string} term
 * @param {ComponentChildren} value
 */
export function fact(term, value) {
  return h('div', { key: term }, h('dt', null, term), h('dd', null, value));
}
