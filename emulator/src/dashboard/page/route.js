/** @import { State, ViewName } from './types.d.ts' */

/** The views in their order, with their names. */
export const VIEWS = /** @type {const} */ ({
  tasks: 'Tasks',
  deliveries: 'Deliveries',
  endpoints: 'Endpoints',
  keys: 'API keys',
  credits: 'Credits',
  usage: 'Usage',
  faults: 'Faults',
  templates: 'Templates',
});

export const VIEW_NAMES = /** @type {ViewName[]} */ (Object.keys(VIEWS)); // the table's own keys

/**
 * The address of a view, or of one thing in it.
 *
 * @param {ViewName} view
 * @param {string} [id]
 */
export function address(view, id = '') {
  return id === '' ? `#/${view}` : `#/${view}/${encodeURIComponent(id)}`;
}

/**
 * What an address names; tasks where it names nothing.
 *
 * @param {string} hash
 * @returns {State['route']}
 */
export function routeOf(hash) {
  const [name = '', ...rest] = hash.replace(/^#\/?/, '').split('/');
  if (!Object.hasOwn(VIEWS, name)) return { view: 'tasks', id: '' };
  const view = /** @type {ViewName} */ (name); // it was looked up on the line before
  try {
    return { view, id: decodeURIComponent(rest.join('/')) };
  } catch {
    return { view, id: '' };
  }
}
