import { Component, h } from '../preact.js';
import { bytes } from './words.js';

/** Beyond this many characters only the beginning is shown at first. */
const SHOWN = 20_000;

/**
 * A value as JSON, to be read and scrolled.
 *
 * @extends {Component<{ label: string, value: unknown }, { all: boolean }>}
 */
export class JsonBlock extends Component {
  render() {
    const { label, value } = this.props;
    const text = JSON.stringify(value, null, 2) ?? 'null';
    const cut = text.length > SHOWN && !this.state.all;
    return [
      h(
        'pre',
        { class: 'json', tabIndex: 0, role: 'group', 'aria-label': label },
        cut ? text.slice(0, SHOWN) : text,
      ),
      cut
        ? h(
            'button',
            { type: 'button', class: 'quiet', onClick: () => this.setState({ all: true }) },
            `Show all ${bytes(text.length)}`,
          )
        : null,
    ];
  }
}
