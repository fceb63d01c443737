/** @import { ComponentChildren } from './preact.js' */
/** @import { State, ViewName } from './types.d.ts' */
import { about, brand, navigation } from './frame.js';
import { Component, h } from './preact.js';
import { address, VIEW_NAMES } from './route.js';
import { Dialog } from './ui/dialog.js';
import { Notice } from './ui/notice.js';
import { creditsView } from './views/credits.js';
import { deliveriesView } from './views/deliveries.js';
import { deliveryDialog } from './views/delivery-dialog.js';
import { endpointsView } from './views/endpoints.js';
import { faultsView } from './views/faults.js';
import { keysView } from './views/keys.js';
import { taskDialog } from './views/task-dialog.js';
import { tasksView } from './views/tasks.js';
import { templatesView } from './views/templates.js';
import { usageView } from './views/usage.js';

/** @type {Readonly<Record<ViewName, (state: State) => ComponentChildren>>} */
const CONTENTS = {
  tasks: tasksView,
  deliveries: deliveriesView,
  endpoints: endpointsView,
  keys: keysView,
  credits: creditsView,
  usage: usageView,
  faults: faultsView,
  templates: templatesView,
};

/**
 * The whole page.
 *
 * @param {State} state
 */
export function app(state) {
  const { route, view, notice, question, announcement } = state;
  return [
    h('a', { class: 'skip', href: '#main', onClick: skip }, 'To the content'),
    h('header', { class: 'top' }, brand(state), navigation(state)),
    h(
      'main',
      { id: 'main', tabIndex: -1 },
      VIEW_NAMES.map((name) => h(View, { key: name, view: name, state, shown: name === view })),
    ),
    about(state),
    h(
      Dialog,
      { open: route.view === 'tasks' && route.id !== '', title: 'Task', onClose: () => leave(state) },
      taskDialog(state),
    ),
    h(
      Dialog,
      {
        open: route.view === 'deliveries' && route.id !== '',
        title: 'Delivery',
        onClose: () => leave(state),
      },
      deliveryDialog(state),
    ),
    h(
      Dialog,
      {
        open: question !== null,
        title: question?.text ?? '',
        class: 'question',
        onClose: () => question?.answer(false),
      },
      questionText(question),
    ),
    h(Notice, { notice }),
    h('p', { class: 'unseen', 'aria-live': 'polite' }, announcement),
  ];
}

/**
 * A view stays where it is while another one is looked at, with what was typed into it; it is not drawn then.
 *
 * @extends {Component<{ view: ViewName, state: State, shown: boolean }>}
 */
class View extends Component {
  /** @param {{ shown: boolean }} next */
  shouldComponentUpdate(next) {
    return next.shown || this.props.shown;
  }

  render() {
    const { view, state, shown } = this.props;
    return h(
      'section',
      { id: `view-${view}`, class: 'view', hidden: !shown, 'aria-labelledby': `${view}-title` },
      CONTENTS[view](state),
    );
  }
}

/** @param {State['question']} question */
function questionText(question) {
  if (question === null) return null;
  return [
    h('h2', null, question.text),
    h('p', null, question.detail),
    h(
      'div',
      { class: 'buttons' },
      h(
        'button',
        { type: 'button', class: 'danger primary', onClick: () => question.answer(true) },
        question.action,
      ),
      h('button', { type: 'button', autofocus: true, onClick: () => question.answer(false) }, 'Leave it'),
    ),
  ];
}

/** @param {State} state */
function leave({ view }) {
  location.hash = address(view);
}

/** @param {Event} event */
function skip(event) {
  event.preventDefault();
  document.getElementById('main')?.focus();
}
