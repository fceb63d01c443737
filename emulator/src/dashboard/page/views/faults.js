/** @import { Fault, State } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { confirmed } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { jsonField, parseJson, textOf } from '../ui/field.js';
import { table } from '../ui/table.js';
import { counted, number } from '../ui/words.js';
import { CALLS } from './fault-presets.js';
import { PresetForm, RULE_BOX } from './preset-form.js';

const EXAMPLE =
  '{ "on": "submit", "nth": [1, 2], "fault": { "kind": "error", "code": "RATE_LIMITED", "retryAfter": 2 } }';

/** @param {State} state */
export function faultsView({ overview, counters }) {
  const faults = overview?.faults ?? [];
  return [
    h('h2', { id: 'faults-title', tabIndex: -1 }, 'Faults'),
    h('h3', null, 'In force'),
    faults.length === 0
      ? h('p', { class: 'empty' }, 'None: the emulator does nothing wrong.')
      : [
          table('Faults in force', faults, ({ id }) => id, COLUMNS),
          h(
            'div',
            { class: 'buttons' },
            h(ActionButton, { class: 'danger', act: () => removeAll(faults.length) }, 'Switch all off'),
          ),
        ],
    h('h3', null, 'Switch on'),
    h(PresetForm, null),
    h('h3', null, 'A rule of your own'),
    h(
      ActionForm,
      { submit: 'Add', class: 'panel', label: 'A rule of your own', act: addJson },
      jsonField(
        'A rule or a list of rules',
        { name: 'rules', id: RULE_BOX, rows: 5, placeholder: EXAMPLE },
        'JSON, as in docs/emulator.md',
      ),
    ),
    h('h3', null, 'Struck so far'),
    injected(counters?.faults ?? {}),
  ];
}

/** @type {readonly Column<Fault>[]} */
const COLUMNS = [
  { name: 'Rule', cell: ({ id }) => id, class: 'id' },
  { name: 'Strikes', cell: describe },
  { name: 'Struck', cell: ({ injected }) => number(injected), class: 'number' },
  { name: 'Calls seen', cell: ({ seen }) => number(seen), class: 'number' },
  {
    name: 'Actions',
    class: 'actions',
    cell: ({ id }) =>
      h(
        ActionButton,
        {
          label: `Switch off ${id}`,
          act: async () => {
            await control(`DELETE /faults/${encodeURIComponent(id)}`);
            document.getElementById('faults-title')?.focus();
            return `${id} is switched off.`;
          },
        },
        'Switch off',
      ),
  },
];

/**
 * A rule in words, with its fault as it is written.
 *
 * @param {Fault} rule
 */
function describe({ on, match, nth, share, times, fault }) {
  const { kind, ...details } = fault;
  const which = [
    share === undefined ? '' : `${percent(share)} of `,
    nth === undefined ? '' : `number ${[nth].flat().join(', ')} of `,
    (CALLS[on] ?? on).toLowerCase(),
    ...Object.entries(match).map(([name, value]) => `, ${name} ${value}`),
    times === undefined ? '' : `, at most ${counted(times, 'time')}`,
  ].join('');
  const how = Object.keys(details).length === 0 ? '' : ` ${JSON.stringify(details)}`;
  return [`${which}: `, h('code', null, kind + how)];
}

/** @param {number} share */
function percent(share) {
  return `${number(share * 100)} %`;
}

/** @param {Record<string, number>} counts */
function injected(counts) {
  const rows = Object.entries(counts).toSorted(([, a], [, b]) => b - a);
  if (rows.length === 0) return h('p', { class: 'empty' }, 'No fault has struck yet.');
  return table('Faults that struck', rows, ([name]) => name, [
    { name: 'Fault', cell: ([name]) => h('code', null, name) },
    { name: 'Struck', cell: ([, count]) => number(count), class: 'number' },
  ]);
}

/** @param {FormData} fields */
async function addJson(fields) {
  /** @type {Fault[]} */
  const added = await control('POST /faults', parseJson(textOf(fields, 'rules')));
  return `${counted(added.length, 'rule')} added.`;
}

/** @param {number} count */
function removeAll(count) {
  const question = {
    text: `Switch off ${counted(count, 'fault')}?`,
    detail: 'Rules that were written by hand are gone then.',
    action: 'Switch off',
  };
  return confirmed(question, async () => {
    await control('DELETE /faults');
    document.getElementById('faults-title')?.focus();
    return 'All faults are switched off.';
  });
}
