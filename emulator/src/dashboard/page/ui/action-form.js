/** @import { ComponentChildren } from '../preact.js' */
import { Component, h } from '../preact.js';
import { notify } from '../store.js';

/**
 * @typedef {object} FormProps
 * @property {string} submit the button's text
 * @property {(fields: FormData, form: HTMLFormElement) => Promise<string | undefined>} act what it does; what it
 *   answers is told, and the form is empty again
 * @property {string} [class]
 * @property {string} [label]
 * @property {ComponentChildren} [more] further buttons
 * @property {(form: HTMLFormElement) => void} [onEdit] after each change of a field
 * @property {ComponentChildren} [children] the fields: they hold their own values, so drawing anew loses none
 */

/**
 * A form for something that the emulator does. A refusal is shown in it, and what was typed stays.
 *
 * @extends {Component<FormProps, { busy: boolean, refusal: string }>}
 */
export class ActionForm extends Component {
  /** @param {SubmitEvent} event */
  async submit(event) {
    event.preventDefault();
    const form = event.currentTarget;
    if (!(form instanceof HTMLFormElement) || this.state.busy) return;
    this.setState({ busy: true, refusal: '' });
    try {
      const done = await this.props.act(new FormData(form), form);
      if (done !== undefined) notify(done);
      form.reset();
      this.props.onEdit?.(form);
    } catch (error) {
      this.setState({ refusal: error instanceof Error ? error.message : String(error) });
    }
    this.setState({ busy: false });
  }

  render() {
    const { submit, class: look = '', label, more, onEdit, children } = this.props;
    const { busy, refusal } = this.state;
    return h(
      'form',
      {
        class: look,
        'aria-label': label,
        onSubmit: (/** @type {SubmitEvent} */ event) => void this.submit(event),
        onInput: (/** @type {{ currentTarget: HTMLFormElement }} */ { currentTarget }) =>
          onEdit?.(currentTarget),
      },
      children,
      h(
        'div',
        { class: 'buttons' },
        h(
          'button',
          { class: look === 'row' ? '' : 'primary', 'aria-disabled': busy ? 'true' : undefined },
          submit,
        ),
        more,
      ),
      h('p', { class: 'refusal', role: 'alert' }, refusal),
    );
  }
}
