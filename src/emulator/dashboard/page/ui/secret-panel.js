import { h } from '../preact.js';
import { changed, state } from '../store.js';
import { copyButton } from './copy-button.js';

/**
 * A value that is shown once, until it is put away.
 *
 * @param {string} id
 */
export function secretPanel(id) {
  const secret = state.secrets[id];
  if (secret === undefined) return null;
  const putAway = () => {
    delete state.secrets[id];
    changed();
  };
  return h(
    'div',
    { class: 'secret', role: 'status' },
    h('p', null, secret.title),
    h('code', { class: 'value', tabIndex: 0 }, secret.value),
    h(
      'div',
      { class: 'buttons' },
      copyButton(secret.value, 'the value'),
      h('button', { type: 'button', class: 'quiet', onClick: putAway }, 'Put away'),
    ),
  );
}
