/** @import { RateLimit, State, Workspace } from '../types.d.ts' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { field, numberOf, options, textOf } from '../ui/field.js';
import { time } from '../ui/time.js';
import { counted, duration, number } from '../ui/words.js';

const POOLS = /** @type {const} */ ([
  ['permanent', 'Permanent'],
  ['subscription', 'Subscription'],
]);

const RETRY_AFTER = /** @type {const} */ ([
  ['seconds', 'in seconds'],
  ['date', 'as a date'],
  ['none', 'not given'],
]);

/** @param {State} state */
export function creditsView({ overview }) {
  return [
    h('h2', { id: 'credits-title', tabIndex: -1 }, 'Credits'),
    h('p', { class: 'lead' }, 'A task takes from the subscription first, then from the permanent pool.'),
    (overview?.workspaces ?? []).map(card),
    h(
      'details',
      { class: 'panel' },
      h('summary', null, 'New workspace'),
      h(
        ActionForm,
        { submit: 'Create workspace', label: 'New workspace', act: create },
        h(
          'div',
          { class: 'fields' },
          field(
            'Id',
            h('input', {
              name: 'id',
              required: true,
              pattern: '[\\w.\\-]{1,100}',
              title: 'letters, digits, _ . -',
              autoComplete: 'off',
            }),
          ),
          amountField('Permanent', 'permanent'),
          amountField('Subscription', 'subscription'),
        ),
      ),
    ),
  ];
}

/** @param {Workspace} workspace */
function card({ id, credits, rateLimit }) {
  const path = `/workspaces/${encodeURIComponent(id)}`;
  return h(
    'article',
    { key: id, class: 'panel', 'aria-label': `Workspace ${id}` },
    h('header', null, h('h3', null, id)),
    h(
      'dl',
      { class: 'figures' },
      figure('Available', number(credits.available)),
      figure('Permanent', number(credits.permanent)),
      figure('Subscription', number(credits.subscription), expiry(credits.subscription_expires_at)),
      figure('Submits', rateLimit === null ? 'not limited' : limitText(rateLimit)),
    ),
    h(
      'div',
      { class: 'forms' },
      h(
        ActionForm,
        {
          submit: 'Top up',
          class: 'row',
          label: `Top up ${id}`,
          act: async (fields) => {
            const amount = numberOf(fields, 'amount') ?? 0;
            await control(`POST ${path}/credits/top-up`, { [textOf(fields, 'pool')]: amount });
            return `${counted(amount, 'credit')} were added.`;
          },
        },
        field(
          'Credits to add',
          h('input', {
            name: 'amount',
            type: 'number',
            min: 1,
            step: 1,
            required: true,
            inputMode: 'numeric',
          }),
        ),
        field('Pool', h('select', { name: 'pool' }, options(POOLS))),
      ),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Set the pools and the expiry'),
      h(
        ActionForm,
        { submit: 'Set', label: `Set the credits of ${id}`, act: (fields) => setPools(path, fields) },
        h(
          'div',
          { class: 'fields' },
          amountField('Permanent', 'permanent'),
          amountField('Subscription', 'subscription'),
          field('The subscription expires', h('input', { name: 'expires', type: 'datetime-local', step: 1 })),
        ),
        h('p', { class: 'hint' }, 'What is left empty stays as it is.'),
      ),
    ),
    h(
      'details',
      null,
      h('summary', null, 'Limit the rate of submits'),
      h(
        ActionForm,
        {
          submit: 'Set the limit',
          label: `Rate limit of ${id}`,
          act: (fields) => setLimit(path, fields),
          more: h(
            ActionButton,
            {
              disabled: rateLimit === null,
              act: async () => {
                await control(`PATCH ${path}`, { rateLimit: null });
                return 'Submits are not limited any more.';
              },
            },
            'No limit',
          ),
        },
        h(
          'div',
          { class: 'fields' },
          field(
            'Submits',
            h('input', {
              name: 'limit',
              type: 'number',
              min: 1,
              step: 1,
              required: true,
              inputMode: 'numeric',
            }),
          ),
          field(
            'in seconds',
            h('input', {
              name: 'seconds',
              type: 'number',
              min: 0.001,
              step: 'any',
              required: true,
              defaultValue: '1',
            }),
          ),
          field(
            'At once',
            h('input', { name: 'burst', type: 'number', min: 1, step: 1, inputMode: 'numeric' }),
            { hint: 'empty: as many' },
          ),
          field('Retry-After', h('select', { name: 'retryAfter' }, options(RETRY_AFTER))),
        ),
      ),
    ),
  );
}

/**
 * @param {string} term
 * @param {string} value
 * @param {import('../preact.js').ComponentChildren} [more]
 */
function figure(term, value, more) {
  return h('div', null, h('dt', null, term), h('dd', null, h('strong', null, value), more));
}

/** @param {string} iso */
function expiry(iso) {
  return h('small', null, Date.parse(iso) > Date.now() ? 'until ' : 'expired ', time(iso));
}

/** @param {RateLimit} limit */
function limitText({ limit, windowMs, burst }) {
  return `${number(limit)} in ${duration(windowMs)}${burst === undefined ? '' : `, ${number(burst)} at once`}`;
}

/**
 * @param {string} label
 * @param {string} name
 */
function amountField(label, name) {
  return field(label, h('input', { name, type: 'number', min: 0, step: 1, inputMode: 'numeric' }));
}

/** @param {FormData} fields */
function amounts(fields) {
  const wanted = ['permanent', 'subscription'].map((pool) => [pool, numberOf(fields, pool)]);
  return Object.fromEntries(wanted.filter(([, amount]) => amount !== undefined));
}

/**
 * @param {string} path
 * @param {FormData} fields
 */
async function setPools(path, fields) {
  const expires = textOf(fields, 'expires');
  await control(`PUT ${path}/credits`, {
    ...amounts(fields),
    ...(expires === '' ? {} : { subscriptionExpiresAt: new Date(expires).toISOString() }),
  });
  return 'The credits are set.';
}

/**
 * @param {string} path
 * @param {FormData} fields
 */
async function setLimit(path, fields) {
  const burst = numberOf(fields, 'burst');
  await control(`PATCH ${path}`, {
    rateLimit: {
      limit: numberOf(fields, 'limit'),
      windowMs: Math.max(1, Math.round((numberOf(fields, 'seconds') ?? 1) * 1000)),
      retryAfter: textOf(fields, 'retryAfter'),
      ...(burst === undefined ? {} : { burst }),
    },
  });
  return 'Submits are limited.';
}

/** @param {FormData} fields */
async function create(fields) {
  const id = textOf(fields, 'id');
  await control('POST /workspaces', { id, credits: amounts(fields) });
  return `The workspace “${id}” was created.`;
}
