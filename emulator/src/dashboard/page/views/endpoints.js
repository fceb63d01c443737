/** @import { Endpoint, State } from '../types.d.ts' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { changed, confirmed, state } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { badge } from '../ui/badge.js';
import { fact } from '../ui/fact.js';
import { choiceField, named, numberOf, options, textField, textOf, ticks } from '../ui/field.js';
import { secretPanel } from '../ui/secret-panel.js';
import { time } from '../ui/time.js';
import { workspaceField } from './workspace-options.js';

const MINUTE = 60_000;

/** For how long the old secret goes on signing beside a new one. */
const OVERLAPS = /** @type {const} */ ([
  [String(24 * 60 * MINUTE), '24 hours'],
  [String(60 * MINUTE), '1 hour'],
  [String(MINUTE), '1 minute'],
  ['0', 'not at all'],
]);

/** @param {State} state */
export function endpointsView({ overview }) {
  const endpoints = overview?.endpoints ?? [];
  const events = overview?.events ?? [];
  return [
    h('h2', { id: 'endpoints-title', tabIndex: -1 }, 'Webhook endpoints'),
    endpoints.length === 0
      ? h('p', { class: 'empty' }, 'There are none: nobody is told what becomes of the tasks.')
      : endpoints.map((endpoint) => card(endpoint, events)),
    h('h3', null, 'New endpoint'),
    h(
      ActionForm,
      { submit: 'Create endpoint', class: 'panel', label: 'New endpoint', act: create },
      h(
        'div',
        { class: 'fields' },
        urlField(),
        workspaceField(),
        textField('Secret', 'secret', { placeholder: 'whsec_…' }, { hint: 'empty: a new one' }),
      ),
      ticks('Events', 'events', events, { ticked: events }),
    ),
  ];
}

/**
 * @param {Endpoint} endpoint
 * @param {readonly string[]} events
 */
function card(endpoint, events) {
  const { id, url, workspace, enabled, secrets } = endpoint;
  const path = `/endpoints/${encodeURIComponent(id)}`;
  return h(
    'article',
    { key: id, class: 'panel', 'aria-label': `Endpoint ${url}` },
    h(
      'header',
      null,
      h('h3', { class: 'url' }, url),
      badge(enabled ? 'success' : 'canceled', enabled ? 'Enabled' : 'Disabled'),
    ),
    secretPanel(id),
    h(
      'dl',
      { class: 'facts' },
      fact('Workspace', workspace),
      fact('Events', endpoint.events.length === events.length ? 'all' : endpoint.events.join(', ')),
      fact('Secrets', secrets.map(secretEntry)),
    ),
    h(
      'div',
      { class: 'buttons' },
      h(
        ActionButton,
        {
          act: async () => {
            await control(`PATCH ${path}`, { enabled: !enabled });
            return enabled ? 'The endpoint is disabled.' : 'The endpoint is enabled.';
          },
        },
        enabled ? 'Disable' : 'Enable',
      ),
      h(ActionButton, { act: () => showSecret(endpoint) }, 'Show secret'),
      h(ActionButton, { class: 'danger', act: () => remove(endpoint) }, 'Remove'),
    ),
    h(
      'div',
      { class: 'forms' },
      h(
        ActionForm,
        {
          submit: 'Send test',
          class: 'row',
          label: `Test delivery to ${url}`,
          act: async (fields) => {
            await control(`POST ${path}/test`, { event: textOf(fields, 'event') });
            return 'A test delivery is on its way: see “Deliveries”.';
          },
        },
        choiceField('Test event', 'event', options(named(events), 'task.completed')),
      ),
      h(
        ActionForm,
        {
          submit: 'Rotate secret',
          class: 'row',
          label: `New secret for ${url}`,
          act: (fields) => rotate(endpoint, fields),
        },
        choiceField('The old secret still signs', 'overlap', options(OVERLAPS)),
      ),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Change address and events'),
      h(
        ActionForm,
        {
          submit: 'Save',
          label: `Change ${url}`,
          act: async (fields) => {
            await control(`PATCH ${path}`, { url: textOf(fields, 'url'), events: fields.getAll('events') });
            return 'The endpoint is changed.';
          },
        },
        urlField(url),
        ticks('Events', 'events', events, { ticked: endpoint.events }),
      ),
    ),
  );
}

/** @param {string} [url] */
function urlField(url = '') {
  const placeholder = 'http://127.0.0.1:8787/webhooks';
  return textField(
    'URL',
    'url',
    { type: 'url', required: true, placeholder, defaultValue: url },
    { class: 'wide' },
  );
}

/** @param {Endpoint['secrets'][number]} secret */
function secretEntry({ hint, createdAt, expiresAt }) {
  const until =
    expiresAt === null
      ? null
      : [Date.parse(expiresAt) > Date.now() ? ', signs until ' : ', signed until ', time(expiresAt)];
  return h('div', { key: createdAt }, h('code', null, hint), ' since ', time(createdAt), until);
}

/** @param {FormData} fields */
async function create(fields) {
  const secret = textOf(fields, 'secret');
  const url = textOf(fields, 'url');
  /** @type {Endpoint & { secret: string }} */
  const made = await control('POST /endpoints', {
    url,
    workspace: textOf(fields, 'workspace'),
    events: fields.getAll('events'),
    ...(secret === '' ? {} : { secret }),
  });
  reveal(made.id, 'The secret of the new endpoint, for its receiver.', made.secret);
  return undefined; // the secret, once it is shown, says it
}

/**
 * @param {Endpoint} endpoint
 * @param {FormData} fields
 */
async function rotate({ id }, fields) {
  /** @type {{ secret: string }} */
  const { secret } = await control(`POST /endpoints/${encodeURIComponent(id)}/rotate`, {
    overlapMs: numberOf(fields, 'overlap'),
  });
  reveal(id, 'The new secret, for its receiver.', secret);
  return undefined;
}

/** @param {Endpoint} endpoint */
async function showSecret({ id }) {
  /** @type {{ secret: string }} */
  const { secret } = await control(`GET /endpoints/${encodeURIComponent(id)}/secret`);
  reveal(id, 'The current secret.', secret);
  return undefined;
}

/**
 * @param {string} id
 * @param {string} title
 * @param {string} value
 */
function reveal(id, title, value) {
  state.secrets[id] = { title, value };
  changed();
}

/** @param {Endpoint} endpoint */
function remove({ id, url }) {
  const question = {
    text: 'Remove the endpoint?',
    detail: `${url} gets nothing more, and its deliveries are forgotten one by one. This cannot be undone.`,
    action: 'Remove',
  };
  return confirmed(question, async () => {
    await control(`DELETE /endpoints/${encodeURIComponent(id)}`);
    document.getElementById('endpoints-title')?.focus();
    return 'The endpoint was removed.';
  });
}
