/** @import { State } from '../types.d.ts' */
import { Component, h } from '../preact.js';
import { changed, state } from '../store.js';

/**
 * What has come of an action. It is a popover, because that lies above an open dialog, too.
 *
 * @extends {Component<{ notice: State['notice'] }>}
 */
export class Notice extends Component {
  /** @type {HTMLElement | null} */
  element = null;

  componentDidUpdate() {
    const { element } = this;
    if (element === null) return;
    // Shown anew each time, so that it comes to lie above a dialog that was opened meanwhile.
    if (element.matches(':popover-open')) element.hidePopover();
    if (this.props.notice !== null) element.showPopover();
  }

  /** @param {{ notice: State['notice'] }} next */
  shouldComponentUpdate(next) {
    return next.notice !== this.props.notice;
  }

  render() {
    const { notice } = this.props;
    return h(
      'div',
      {
        class: `notice ${notice?.bad === true ? 'bad' : ''}`,
        popover: 'manual',
        ref: (/** @type {HTMLElement | null} */ element) => {
          this.element = element;
        },
      },
      h('p', null, notice?.text),
      h('button', { type: 'button', class: 'quiet', onClick: putAway }, 'Put away'),
    );
  }
}

function putAway() {
  state.notice = null;
  changed();
}
