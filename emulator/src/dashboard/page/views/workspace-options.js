/** @import { ComponentChildren } from '../preact.js' */
import { h } from '../preact.js';
import { state } from '../store.js';
import { choiceField, named, options } from '../ui/field.js';

/**
 * The workspaces as choices of a list.
 *
 * @param {string} [all] the text of a first choice that means all of them
 * @returns {ComponentChildren}
 */
export function workspaceOptions(all) {
  const workspaces = named((state.overview?.workspaces ?? []).map(({ id }) => id));
  return options(all === undefined ? workspaces : [['', all], ...workspaces]);
}

/** The field that says which workspace a new thing belongs to; hidden where there is only one. */
export function workspaceField() {
  const workspaces = state.overview?.workspaces ?? [];
  if (workspaces.length === 1)
    return h('input', { type: 'hidden', name: 'workspace', value: workspaces[0]?.id });
  return choiceField('Workspace', 'workspace', workspaceOptions());
}

/**
 * The models as choices of a list.
 *
 * @param {string} all the text of a first choice that means all of them
 * @returns {ComponentChildren}
 */
export function modelOptions(all) {
  return options([['', all], ...named((state.overview?.models ?? []).map(({ id }) => id))]);
}
