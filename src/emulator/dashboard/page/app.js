/** @import { ComponentChildren } from './preact.js' */
/** @import { State, ViewName } from './types.d.ts' */
import { control } from './control.js';
import { Component, h } from './preact.js';
import { address, VIEWS } from './route.js';
import { ask, changed } from './store.js';
import { ActionButton } from './ui/action-button.js';
import { copyButton } from './ui/copy-button.js';
import { Dialog } from './ui/dialog.js';
import { compact, number } from './ui/words.js';
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

/** @type {Readonly<Record<State['connection'], string>>} */
const CONNECTIONS = {
  connecting: 'Connecting…',
  live: 'Live',
  lost: 'Connection lost',
};

const NAMES = /** @type {ViewName[]} */ (Object.keys(VIEWS)); // the table's own keys

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
      NAMES.map((name) => h(View, { key: name, view: name, state, shown: name === view })),
    ),
    about(state),
    h(
      Dialog,
      {
        open: route.view === 'tasks' && route.id !== '',
        title: 'Task',
        onClose: () => leave(state),
      },
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
    // Above an open dialog, too: a popover is in the top layer.
    h(Notice, { notice, putAway: () => putAwayNotice(state) }),
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
      {
        id: `view-${view}`,
        class: 'view',
        hidden: !shown,
        'aria-labelledby': `${view}-title`,
      },
      CONTENTS[view](state),
    );
  }
}

/** @param {State} state */
function brand({ connection }) {
  return h(
    'div',
    { class: 'brand' },
    h(
      'h1',
      null,
      h('img', { src: 'dashboard/icon.svg', alt: '', width: 28, height: 28 }),
      'Darkroom emulator',
    ),
    h('p', { class: `connection ${connection}`, role: 'status' }, CONNECTIONS[connection]),
  );
}

/** @param {State} state */
function navigation(state) {
  return h(
    'nav',
    { 'aria-label': 'Views' },
    h(
      'ul',
      null,
      NAMES.map((view) =>
        h(
          'li',
          { key: view },
          h(
            'a',
            {
              href: address(view),
              'aria-current': view === state.view ? 'page' : undefined,
            },
            VIEWS[view],
            ' ',
            h('span', { class: 'count' }, sizeOf(view, state)),
          ),
        ),
      ),
    ),
  );
}

/**
 * The number beside a view's name.
 *
 * @param {ViewName} view
 * @param {State} state
 */
function sizeOf(view, { overview, counters }) {
  if (overview === null || counters === null) return '';
  /** @type {Record<ViewName, string>} */
  const sizes = {
    tasks: compact(Object.values(counters.tasks).reduce((sum, count) => sum + count, 0)),
    deliveries: compact(counters.deliveries.created),
    endpoints: number(overview.endpoints.length),
    keys: number(overview.keys.filter(({ revokedAt }) => revokedAt === null).length),
    credits: compact(overview.workspaces.reduce((sum, { credits }) => sum + credits.available, 0)),
    usage: '',
    faults: number(overview.faults.length),
    templates: number(overview.templates.length),
  };
  return sizes[view];
}

/** @param {State} state */
function about({ overview }) {
  if (overview === null) return null;
  return h(
    'footer',
    { class: 'about-it' },
    h('p', null, h('code', null, overview.baseUrl), copyButton(overview.baseUrl, 'the API’s URL')),
    h('p', null, `Speed ${number(overview.speed)}, seed ${overview.seed}`),
    h(ActionButton, { class: 'quiet', act: reset }, 'Back to the start…'),
  );
}

async function reset() {
  const sure = await ask({
    text: 'Back to the start?',
    detail:
      'All tasks, charges and deliveries are deleted; keys, endpoints and faults are as they first were.',
    action: 'Delete all',
  });
  if (!sure) return undefined;
  await control('POST /reset');
  return 'The emulator is as it was at its first start.';
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
        {
          type: 'button',
          class: 'danger primary',
          onClick: () => question.answer(true),
        },
        question.action,
      ),
      h(
        'button',
        {
          type: 'button',
          autofocus: true,
          onClick: () => question.answer(false),
        },
        'Leave it',
      ),
    ),
  ];
}

/** @extends {Component<{ notice: State['notice'], putAway: () => void }>} */
class Notice extends Component {
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
    const { notice, putAway } = this.props;
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

/** @param {State} state */
function putAwayNotice(state) {
  state.notice = null;
  changed();
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
