/** @import { ComponentChildren } from '../preact.js' */
import { Component, h } from '../preact.js';
import { address } from '../route.js';
import { state } from '../store.js';

/**
 * @typedef {object} DialogProps
 * @property {boolean} open
 * @property {string} title
 * @property {string} [class]
 * @property {() => void} onClose by its button, the Escape key or a click beside it
 * @property {ComponentChildren} [children]
 */

/**
 * The browser's own modal dialog: it keeps the focus inside, closes with Escape and gives the focus back.
 *
 * @extends {Component<DialogProps>}
 */
export class Dialog extends Component {
  /** @type {HTMLDialogElement | null} */
  element = null;

  componentDidMount() {
    this.componentDidUpdate();
  }

  componentDidUpdate() {
    const { element } = this;
    if (element === null || element.open === this.props.open) return;
    if (this.props.open) element.showModal();
    else element.close();
  }

  render() {
    const { open, title, class: look = '', onClose, children } = this.props;
    return h(
      'dialog',
      {
        class: look,
        'aria-label': title,
        ref: (/** @type {HTMLDialogElement | null} */ element) => {
          this.element = element;
        },
        // Escape closes the element itself; where the state still says open, that is news.
        onClose: () => {
          if (this.props.open) onClose();
        },
        onClick: (/** @type {MouseEvent} */ event) => {
          if (event.target === this.element) onClose();
        },
      },
      open ? h('div', { class: 'inside' }, children) : null,
    );
  }
}

/**
 * The head of a dialog that shows a thing: it closes by going back to the view.
 *
 * @param {string} title
 * @param {ComponentChildren} [badge]
 */
export function dialogTitle(title, badge) {
  return h(
    'div',
    { class: 'title' },
    h('h2', null, title),
    badge,
    h('a', { class: 'button close', href: address(state.view) }, 'Close'),
  );
}
