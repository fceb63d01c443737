/** @import { Key, State } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { changed, confirmed, state } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { badge } from '../ui/badge.js';
import { textField, textOf, ticks } from '../ui/field.js';
import { secretPanel } from '../ui/secret-panel.js';
import { table } from '../ui/table.js';
import { time } from '../ui/time.js';
import { workspaceField } from './workspace-options.js';

const NEW_KEY = 'new-key';

/** @param {State} state */
export function keysView({ overview }) {
  return [
    h('h2', { id: 'keys-title', tabIndex: -1 }, 'API keys'),
    table('API keys', overview?.keys ?? [], ({ id }) => id, COLUMNS),
    h('h3', null, 'New key'),
    secretPanel(NEW_KEY),
    h(
      ActionForm,
      { submit: 'Create key', class: 'panel', label: 'New key', act: create },
      h(
        'div',
        { class: 'fields' },
        textField('Name', 'name', { required: true, maxLength: 100 }),
        workspaceField(),
      ),
      ticks('Scope', 'scope', overview?.scopes ?? [], { hint: 'none ticked: everything' }),
      otherWorkspaces(overview?.workspaces.map(({ id }) => id) ?? []),
    ),
  ];
}

/** @type {readonly Column<Key>[]} */
const COLUMNS = [
  { name: 'Name', cell: ({ name }) => name },
  { name: 'Value', cell: ({ hint }) => h('code', null, hint) },
  {
    name: 'Workspaces',
    cell: ({ workspace, otherWorkspaces }) => [workspace, ...otherWorkspaces].join(', '),
  },
  { name: 'Scope', cell: ({ scope }) => (scope.length === 0 ? 'everything' : scope.join(', ')) },
  { name: 'Created', cell: ({ createdAt }) => time(createdAt) },
  {
    name: 'State',
    cell: ({ revokedAt }) =>
      revokedAt === null ? badge('success', 'In use') : [badge('failed', 'Revoked'), ' ', time(revokedAt)],
  },
  {
    name: 'Actions',
    class: 'actions',
    cell: (key) =>
      h(
        ActionButton,
        {
          class: 'danger',
          label: `Revoke ${key.name}`,
          disabled: key.revokedAt !== null,
          act: () => revoke(key),
        },
        'Revoke',
      ),
  },
];

/** @param {string[]} workspaces */
function otherWorkspaces(workspaces) {
  if (workspaces.length < 2) return null;
  return ticks('Further workspaces', 'otherWorkspaces', workspaces, { hint: 'that it may act in as well' });
}

/** @param {FormData} fields */
async function create(fields) {
  const workspace = textOf(fields, 'workspace');
  const name = textOf(fields, 'name');
  /** @type {Key & { value: string }} */
  const { value } = await control('POST /keys', {
    name,
    workspace,
    scope: fields.getAll('scope'),
    otherWorkspaces: fields.getAll('otherWorkspaces').filter((other) => other !== workspace),
  });
  state.secrets[NEW_KEY] = { title: `The value of the key “${name}”. It is shown only now.`, value };
  changed();
  return undefined; // the value, once it is shown, says it
}

/** @param {Key} key */
function revoke({ id, name }) {
  const question = {
    text: `Revoke the key “${name}”?`,
    detail: 'Requests with it are refused from now on. This cannot be undone.',
    action: 'Revoke',
  };
  return confirmed(question, async () => {
    await control(`POST /keys/${encodeURIComponent(id)}/revoke`);
    return `The key “${name}” was revoked.`;
  });
}
