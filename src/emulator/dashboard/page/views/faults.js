/** @import { Fault, Json, State } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { control } from '../control.js';
import { Component, h } from '../preact.js';
import { ask } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { field, numberOf, parseJson, textOf } from '../ui/field.js';
import { table } from '../ui/table.js';
import { counted, number } from '../ui/words.js';
import { CALLS, PRESETS } from './fault-presets.js';
import { modelOptions } from './workspace-options.js';

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
    h(PresetForm, null),
    h('h3', null, 'A rule of your own'),
    h(
      ActionForm,
      {
        submit: 'Add',
        class: 'panel',
        label: 'A rule of your own',
        act: addJson,
      },
      field(
        'A rule or a list of rules',
        h('textarea', {
          name: 'rules',
          id: 'rule-json',
          rows: 5,
          required: true,
          spellcheck: false,
          placeholder: EXAMPLE,
        }),
        { hint: 'JSON, as in docs/emulator.md', class: 'wide' },
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

/**
 * Builds a rule from a preset and shows it before it is switched on.
 *
 * @extends {Component<{}, { rule: Json }>}
 */
class PresetForm extends Component {
  state = { rule: presetRule('lose-answers', { share: 5 }) };

  /** @param {HTMLFormElement} form */
  edited(form) {
    this.setState({ rule: ruleOf(new FormData(form)) });
  }

  render() {
    return [
      h('h3', null, 'Switch on'),
      h(
        ActionForm,
        {
          submit: 'Switch on',
          class: 'panel',
          label: 'Switch on a fault',
          onEdit: (form) => this.edited(form),
          act: async (fields) => {
            const rule = ruleOf(fields);
            await control('POST /faults', rule);
            return `${String(rule['id'])} is switched on.`;
          },
          more: h('button', { type: 'button', onClick: () => editAsJson(this.state.rule) }, 'Edit as JSON'),
        },
        h(
          'div',
          { class: 'fields' },
          field('Fault', h('select', { name: 'preset', onChange: proposeShare }, presetChoices()), {
            class: 'wide',
          }),
          field(
            'Share',
            h('input', {
              name: 'share',
              type: 'number',
              min: 0,
              max: 100,
              step: 'any',
              required: true,
              defaultValue: '5',
            }),
            { hint: 'in %' },
          ),
          field('Model', h('select', { name: 'model' }, modelOptions('All models'))),
          field(
            'At most',
            h('input', {
              name: 'times',
              type: 'number',
              min: 1,
              step: 1,
              inputMode: 'numeric',
            }),
            { hint: 'times' },
          ),
        ),
        h('code', { class: 'rule' }, JSON.stringify(this.state.rule)),
      ),
    ];
  }
}

function presetChoices() {
  const groups = Map.groupBy(Object.entries(PRESETS), ([, { on }]) => on);
  return [...groups].map(([on, presets]) =>
    h(
      'optgroup',
      { key: on, label: CALLS[on] ?? on },
      presets.map(([id, { text }]) => h('option', { key: id, value: id }, text)),
    ),
  );
}

/** The chosen preset's own share; the form's `input` event follows and shows the rule. */
function proposeShare(/** @type {{ currentTarget: HTMLSelectElement }} */ { currentTarget }) {
  const share = currentTarget.form?.elements.namedItem('share');
  const preset = PRESETS[currentTarget.value];
  if (!(share instanceof HTMLInputElement) || preset === undefined) return;
  share.value = String(preset.share);
  share.dispatchEvent(new InputEvent('input', { bubbles: true }));
}

/** @param {FormData} fields */
function ruleOf(fields) {
  return presetRule(textOf(fields, 'preset'), {
    share: numberOf(fields, 'share') ?? 100,
    model: textOf(fields, 'model'),
    times: numberOf(fields, 'times'),
  });
}

/**
 * @param {string} id
 * @param {{ share: number, model?: string, times?: number | undefined }} wanted
 * @returns {Json}
 */
function presetRule(id, { share, model = '', times }) {
  const preset = PRESETS[id];
  return {
    id: model === '' ? id : `${id}-${model}`,
    on: preset?.on,
    ...(model === '' ? {} : { match: { model } }),
    ...(share === 100 ? {} : { share: share / 100 }),
    ...(times === undefined ? {} : { times }),
    fault: preset?.fault,
  };
}

/** @param {Json} rule */
function editAsJson(rule) {
  const box = document.getElementById('rule-json');
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.value = JSON.stringify(rule, null, 2);
  box.focus();
}

/** @param {FormData} fields */
async function addJson(fields) {
  /** @type {Fault[]} */
  const added = await control('POST /faults', parseJson(textOf(fields, 'rules')));
  return `${counted(added.length, 'rule')} added.`;
}

/** @param {number} count */
async function removeAll(count) {
  const sure = await ask({
    text: `Switch off ${counted(count, 'fault')}?`,
    detail: 'Rules that were written by hand are gone then.',
    action: 'Switch off',
  });
  if (!sure) return undefined;
  await control('DELETE /faults');
  document.getElementById('faults-title')?.focus();
  return 'All faults are switched off.';
}
