/** @import { Attempt, Delivery, State } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { control } from '../control.js';
import { loadDeliveries } from '../load.js';
import { h } from '../preact.js';
import { address } from '../route.js';
import { notify, state } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { deliveryBadge } from '../ui/badge.js';
import { field, options } from '../ui/field.js';
import { heldBack, hold } from '../ui/hold.js';
import { table } from '../ui/table.js';
import { time } from '../ui/time.js';
import { counted, number, shortened } from '../ui/words.js';

const HOLD = hold(state.deliveries, load);

/** @param {State} state */
export function deliveriesView({ deliveries, counters, overview }) {
  const { endpoint, list, loaded } = deliveries;
  const endpoints = (overview?.endpoints ?? []).map(({ id, url }) => /** @type {const} */ ([id, url]));
  return [
    h('h2', { id: 'deliveries-title', tabIndex: -1 }, 'Deliveries'),
    h('p', { class: 'lead' }, 'The 20 latest attempts of each endpoint, by webhook.', totals(counters)),
    endpoints.length > 1
      ? h(
          'search',
          { class: 'filters' },
          field(
            'Endpoint',
            h(
              'select',
              { onChange: chooseEndpoint },
              options([['', 'All endpoints'], ...endpoints], endpoint),
            ),
            { class: 'wide' },
          ),
        )
      : null,
    heldBack(deliveries, load),
    list.length === 0
      ? h(
          'p',
          { class: 'empty' },
          loaded ? 'Nothing was delivered yet. Webhooks go to the endpoints, once there is one.' : 'Loading…',
        )
      : table('Deliveries', list, ({ id }) => id, COLUMNS, HOLD),
  ];
}

/** @type {readonly Column<Delivery>[]} */
const COLUMNS = [
  { name: 'Time', cell: ({ createdAt }) => time(createdAt) },
  { name: 'Event', cell: ({ type, test }) => [h('code', null, type), test ? ' test' : ''] },
  {
    name: 'Task',
    class: 'id',
    cell: ({ taskId, test }) => (test ? '–' : h('a', { href: address('tasks', taskId) }, taskId)),
  },
  {
    name: 'State',
    cell: ({ state, fault }) => [
      deliveryBadge(state),
      fault === null ? null : h('small', null, ` ${fault.kind}`),
    ],
  },
  {
    name: 'Answer',
    cell: ({ attempts }) => {
      const last = attempts.at(-1);
      return last === undefined ? '–' : shortened(answerOf(last), 40);
    },
  },
  { name: 'Attempts', class: 'number', cell: ({ attempts }) => number(attempts.length) },
  {
    name: 'Actions',
    class: 'actions',
    cell: (delivery) => [
      h(
        'a',
        {
          class: 'button',
          href: address('deliveries', delivery.id),
          'aria-label': `Details of ${delivery.type} ${delivery.taskId}`,
        },
        'Details',
      ),
      redeliverButton(delivery),
    ],
  },
];

/** @param {State['counters']} counters */
function totals(counters) {
  if (counters === null) return '';
  const { created, attempts, success, failed, pending, processing } = counters.deliveries;
  return (
    ` Since the start: ${counted(created, 'delivery', 'deliveries')} in ${counted(attempts, 'attempt')}; ` +
    `${number(success)} arrived, ${number(failed)} failed, ${number(pending + processing)} under way.`
  );
}

/**
 * What the receiver said, in a few words.
 *
 * @param {Attempt} attempt
 */
export function answerOf({ status, error }) {
  return status === null ? `no answer${error === null ? '' : `: ${error}`}` : `HTTP ${status}`;
}

/** @param {Delivery} delivery */
export function redeliverButton({ id, type, taskId, state }) {
  return h(
    ActionButton,
    {
      label: `Redeliver ${type} ${taskId}`,
      disabled: state === 'pending' || state === 'processing',
      act: async () => {
        await control(`POST /deliveries/${encodeURIComponent(id)}/redeliver`);
        return 'It is on its way again, under its old event id.';
      },
    },
    'Redeliver',
  );
}

function chooseEndpoint(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) {
  state.deliveries.endpoint = currentTarget.value;
  load();
}

function load() {
  loadDeliveries().catch((error) => notify(String(error.message), true));
}
