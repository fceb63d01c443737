/** @import { State, ViewName } from './types.d.ts' */
import { control } from './control.js';
import { h } from './preact.js';
import { address, VIEW_NAMES, VIEWS } from './route.js';
import { confirmed } from './store.js';
import { ActionButton } from './ui/action-button.js';
import { copyButton } from './ui/copy-button.js';
import { compact, number } from './ui/words.js';

/** @type {Readonly<Record<State['connection'], string>>} */
const CONNECTIONS = { connecting: 'Connecting…', live: 'Live', lost: 'Connection lost' };

/** @param {State} state */
export function brand({ connection }) {
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
export function navigation(state) {
  return h(
    'nav',
    { 'aria-label': 'Views' },
    h(
      'ul',
      null,
      VIEW_NAMES.map((view) =>
        h(
          'li',
          { key: view },
          h(
            'a',
            { href: address(view), 'aria-current': view === state.view ? 'page' : undefined },
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
export function about({ overview }) {
  if (overview === null) return null;
  return h(
    'footer',
    { class: 'about-it' },
    h('p', null, h('code', null, overview.baseUrl), copyButton(overview.baseUrl, 'the API’s URL')),
    h('p', null, `Speed ${number(overview.speed)}, seed ${overview.seed}`),
    h(ActionButton, { class: 'quiet', act: reset }, 'Back to the start…'),
  );
}

function reset() {
  const question = {
    text: 'Back to the start?',
    detail:
      'All tasks, charges and deliveries are deleted; keys, endpoints and faults are as they first were.',
    action: 'Delete all',
  };
  return confirmed(question, async () => {
    await control('POST /reset');
    return 'The emulator is as it was at its first start.';
  });
}
