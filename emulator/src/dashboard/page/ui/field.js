/** @import { ComponentChildren, LooseInputHTMLAttributes, TextareaHTMLAttributes, VNode } from '../preact.js' */
import { h } from '../preact.js';

/**
 * A control under its name.
 *
 * @param {string} label
 * @param {VNode} control
 * @param {{ hint?: string, class?: string }} [more]
 */
export function field(label, control, { hint, class: look = '' } = {}) {
  return h(
    'label',
    { class: `field ${look}` },
    h('span', { class: 'label' }, label, hint === undefined ? null : h('small', null, ` ${hint}`)),
    control,
  );
}

/**
 * A box for a line of text.
 *
 * @param {string} label
 * @param {string} name
 * @param {LooseInputHTMLAttributes} [props]
 * @param {{ hint?: string, class?: string }} [more]
 */
export function textField(label, name, props, more) {
  return field(label, h('input', { name, autoComplete: 'off', ...props }), more);
}

/**
 * A box for a whole number.
 *
 * @param {string} label
 * @param {string} name
 * @param {LooseInputHTMLAttributes} [props]
 * @param {{ hint?: string, class?: string }} [more]
 */
export function numberField(label, name, props, more) {
  return field(
    label,
    h('input', { name, type: 'number', min: 1, step: 1, inputMode: 'numeric', ...props }),
    more,
  );
}

/**
 * A list to choose from.
 *
 * @param {string} label
 * @param {string} name
 * @param {ComponentChildren} choices
 */
export function choiceField(label, name, choices) {
  return field(label, h('select', { name }, choices));
}

/**
 * A box for JSON.
 *
 * @param {string} label
 * @param {TextareaHTMLAttributes} props
 * @param {string} hint
 */
export function jsonField(label, props, hint) {
  return field(label, h('textarea', { required: true, spellcheck: false, ...props }), {
    hint,
    class: 'wide',
  });
}

/**
 * Several boxes to tick under one name.
 *
 * @param {string} legend
 * @param {string} name
 * @param {readonly string[]} values
 * @param {{ ticked?: readonly string[], hint?: string }} [more]
 */
export function ticks(legend, name, values, { ticked = [], hint } = {}) {
  return h(
    'fieldset',
    { class: 'ticks' },
    h('legend', null, legend, hint === undefined ? null : h('small', null, ` ${hint}`)),
    values.map((value) =>
      h(
        'label',
        { key: value },
        // What is ticked by default may change under it; what a person ticked stays.
        h('input', { type: 'checkbox', name, value, defaultChecked: ticked.includes(value) }),
        ` ${value}`,
      ),
    ),
  );
}

/**
 * Choices that are called as they are.
 *
 * @param {readonly string[]} values
 */
export function named(values) {
  return values.map((value) => /** @type {const} */ ([value, value]));
}

/**
 * The choices of a list.
 *
 * @param {readonly (readonly [value: string, text: string])[]} choices
 * @param {string} [chosen]
 * @returns {ComponentChildren}
 */
export function options(choices, chosen) {
  return choices.map(([value, text]) =>
    h('option', { key: value, value, defaultSelected: value === chosen }, text),
  );
}

/**
 * The text of a field without what surrounds it.
 *
 * @param {FormData} fields
 * @param {string} name
 */
export function textOf(fields, name) {
  const value = fields.get(name);
  return typeof value === 'string' ? value.trim() : '';
}

/**
 * @param {FormData} fields
 * @param {string} name
 * @returns {number | undefined} undefined: nothing was entered
 */
export function numberOf(fields, name) {
  const text = textOf(fields, name);
  return text === '' ? undefined : Number(text);
}

/**
 * @param {string} text
 * @returns {unknown}
 * @throws {Error} that says where it is not JSON
 */
export function parseJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`This is not JSON: ${error instanceof Error ? error.message : String(error)}`, {
      cause: error,
    });
  }
}
