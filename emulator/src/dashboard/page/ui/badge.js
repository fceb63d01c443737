/** @import { Delivery, Task } from '../types.d.ts' */
import { h } from '../preact.js';
import { DELIVERY_STATES, TASK_STATES } from './words.js';

/** @param {Task} task */
export function taskBadge({ status, vanished }) {
  if (vanished) return badge('vanished', 'Vanished');
  return badge(status.toLowerCase().replace('_', '-'), TASK_STATES[status]);
}

/** @param {Delivery['state']} state */
export function deliveryBadge(state) {
  return badge(state, DELIVERY_STATES[state]);
}

/**
 * @param {string} look which of the style sheet's
 * @param {string} text
 */
export function badge(look, text) {
  return h('span', { class: `badge ${look}` }, text);
}
