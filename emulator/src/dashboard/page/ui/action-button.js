/** @import { ComponentChildren } from '../preact.js' */
import { Component, h } from '../preact.js';
import { notify } from '../store.js';

/**
 * @typedef {object} ActionProps
 * @property {() => Promise<string | undefined>} act what it does; what it answers is told
 * @property {string} [class]
 * @property {string} [label] where its text does not say what it acts on
 * @property {boolean} [disabled]
 * @property {ComponentChildren} [children]
 */

/**
 * A button for something that the emulator does. While it does it, the button cannot be pressed again, but keeps
 * the focus; a refusal is shown.
 *
 * @extends {Component<ActionProps, { busy: boolean }>}
 */
export class ActionButton extends Component {
  async press() {
    if (this.state.busy) return;
    this.setState({ busy: true });
    try {
      const done = await this.props.act();
      if (done !== undefined) notify(done);
    } catch (error) {
      notify(error instanceof Error ? error.message : String(error), true);
    }
    this.setState({ busy: false });
  }

  render() {
    const { class: look, label, disabled, children } = this.props;
    return h(
      'button',
      {
        type: 'button',
        class: look,
        disabled,
        'aria-label': label,
        'aria-disabled': this.state.busy ? 'true' : undefined,
        onClick: () => void this.press(),
      },
      children,
    );
  }
}
