/** @import { State, Template } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { confirmed } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { choiceField, jsonField, parseJson, textField, textOf } from '../ui/field.js';
import { table } from '../ui/table.js';
import { modelOptions, workspaceOptions } from './workspace-options.js';

/** @param {State} state */
export function templatesView({ overview }) {
  const templates = overview?.templates ?? [];
  return [
    h('h2', { id: 'templates-title', tabIndex: -1 }, 'Templates'),
    h('p', { class: 'lead' }, 'A submit that names one is completed by its fields.'),
    templates.length === 0
      ? h('p', { class: 'empty' }, 'There are none.')
      : table('Templates', templates, ({ id }) => id, COLUMNS),
    h('h3', null, 'New template'),
    h(
      ActionForm,
      { submit: 'Create template', class: 'panel', label: 'New template', act: create },
      h(
        'div',
        { class: 'fields' },
        textField('Name', 'name', { required: true, maxLength: 100 }),
        textField('Id', 'id', { maxLength: 100 }, { hint: 'empty: a new one' }),
        choiceField('Model', 'model', modelOptions('Every model')),
        choiceField('Workspace', 'workspace', workspaceOptions('Every workspace')),
      ),
      jsonField(
        'Input',
        { name: 'input', rows: 4, placeholder: '{ "prompt": "a lighthouse at dawn" }' },
        'a JSON object',
      ),
    ),
  ];
}

/** @type {readonly Column<Template>[]} */
const COLUMNS = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Id', cell: ({ id }) => h('code', null, id), class: 'id' },
  { name: 'Model', cell: ({ model }) => model ?? 'every' },
  { name: 'Workspace', cell: ({ workspace }) => workspace ?? 'every' },
  { name: 'Input', cell: ({ input }) => h('code', null, JSON.stringify(input)), class: 'id' },
  {
    name: 'Actions',
    class: 'actions',
    cell: (template) =>
      h(
        ActionButton,
        { class: 'danger', label: `Remove ${template.name}`, act: () => remove(template) },
        'Remove',
      ),
  },
];

/** @param {FormData} fields */
async function create(fields) {
  const id = textOf(fields, 'id');
  const name = textOf(fields, 'name');
  await control('POST /templates', {
    name,
    model: textOf(fields, 'model') || null,
    workspace: textOf(fields, 'workspace') || null,
    input: parseJson(textOf(fields, 'input')),
    ...(id === '' ? {} : { id }),
  });
  return `The template “${name}” was created.`;
}

/** @param {Template} template */
function remove({ id, name }) {
  const question = {
    text: `Remove the template “${name}”?`,
    detail: 'Submits that name it are refused from now on. This cannot be undone.',
    action: 'Remove',
  };
  return confirmed(question, async () => {
    await control(`DELETE /templates/${encodeURIComponent(id)}`);
    document.getElementById('templates-title')?.focus();
    return `The template “${name}” was removed.`;
  });
}
