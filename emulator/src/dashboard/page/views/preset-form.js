/** @import { Json } from '../types.d.ts' */
import { control } from '../control.js';
import { Component, h } from '../preact.js';
import { ActionForm } from '../ui/action-form.js';
import { choiceField, field, numberField, numberOf, textOf } from '../ui/field.js';
import { CALLS, PRESETS } from './fault-presets.js';
import { modelOptions } from './workspace-options.js';

/** The id of the box for rules as JSON, where a preset can be edited further. */
export const RULE_BOX = 'rule-json';

/**
 * Builds a rule from a preset and shows it before it is switched on.
 *
 * @extends {Component<{}, { rule: Json }>}
 */
export class PresetForm extends Component {
  state = { rule: presetRule('lose-answers', { share: 5 }) };

  /** @param {HTMLFormElement} form */
  edited(form) {
    this.setState({ rule: ruleOf(new FormData(form)) });
  }

  render() {
    return h(
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
        numberField(
          'Share',
          'share',
          { min: 0, max: 100, step: 'any', required: true, defaultValue: '5' },
          { hint: 'in %' },
        ),
        choiceField('Model', 'model', modelOptions('All models')),
        numberField('At most', 'times', {}, { hint: 'times' }),
      ),
      h('code', { class: 'rule' }, JSON.stringify(this.state.rule)),
    );
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
  const box = document.getElementById(RULE_BOX);
  if (!(box instanceof HTMLTextAreaElement)) return;
  box.value = JSON.stringify(rule, null, 2);
  box.focus();
}
