import { Component, h } from '../preact.js';
import { changed, state } from '../store.js';
import { copyButton } from './copy-button.js';

/**
 * A value that is shown once, until it is put away; nothing where there is none.
 *
 * @param {string} id
 */
export function secretPanel(id) {
  const secret = state.secrets[id];
  return secret === undefined ? null : h(SecretPanel, { key: secret.value, id, ...secret });
}

/** @extends {Component<{ id: string, title: string, value: string }>} */
class SecretPanel extends Component {
  /** @type {HTMLElement | null} */
  element = null;

  componentDidMount() {
    // It may come up where one does not look: beside its endpoint, or above a form.
    this.element?.scrollIntoView({ block: 'nearest' });
  }

  render() {
    const { id, title, value } = this.props;
    const putAway = () => {
      delete state.secrets[id];
      changed();
    };
    return h(
      'div',
      {
        class: 'secret',
        role: 'status',
        ref: (/** @type {HTMLElement | null} */ element) => {
          this.element = element;
        },
      },
      h('p', null, title),
      h('code', { class: 'value', tabIndex: 0 }, value),
      h(
        'div',
        { class: 'buttons' },
        copyButton(value, 'the value'),
        h('button', { type: 'button', class: 'quiet', onClick: putAway }, 'Put away'),
      ),
    );
  }
}
