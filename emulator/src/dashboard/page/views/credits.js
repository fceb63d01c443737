/** @import { ComponentChildren } from '../preact.js' */
/** @import { FormProps } from '../ui/action-form.js' */
/** @import { RateLimit, State, Workspace } from '../types.d.ts' */
import { control } from '../control.js';
import { h } from '../preact.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { figure } from '../ui/fact.js';
import { choiceField, numberField, numberOf, options, textField, textOf } from '../ui/field.js';
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
  const first = overview?.assumptions.firstPool ?? 'subscription';
  const rest = first === 'subscription' ? 'permanent' : 'subscription';
  return [
    h('h2', { id: 'credits-title', tabIndex: -1 }, 'Credits'),
    h('p', { class: 'lead' }, `A task takes from the ${first} pool first, then from the ${rest} one.`),
    (overview?.workspaces ?? []).map(card),
    unfolding(
      'New workspace',
      { submit: 'Create workspace', label: 'New workspace', act: create, look: 'panel' },
      textField('Id', 'id', { required: true, pattern: '[\\w.\\-]{1,100}', title: 'letters, digits, _ . -' }),
      POOLS.map(([name, label]) => numberField(label, name, { min: 0 })),
    ),
  ];
}

/** @param {Workspace} workspace */
function card({ id, credits, rateLimit }) {
  const path = `/workspaces/${encodeURIComponent(id)}`;
  const noLimit = async () => {
    await control(`PATCH ${path}`, { rateLimit: null });
    return 'Submits are not limited any more.';
  };
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
        { submit: 'Top up', class: 'row', label: `Top up ${id}`, act: (fields) => topUp(path, fields) },
        numberField('Credits to add', 'amount', { required: true }),
        choiceField('Pool', 'pool', options(POOLS)),
      ),
    ),
    unfolding(
      'Set the pools and the expiry',
      {
        submit: 'Set',
        label: `Set the credits of ${id}`,
        act: (fields) => setPools(path, fields),
        more: h('span', { class: 'hint' }, 'What is left empty stays as it is.'),
      },
      POOLS.map(([name, label]) => numberField(label, name, { min: 0 })),
      textField('The subscription expires', 'expires', { type: 'datetime-local', step: 1 }),
    ),
    unfolding(
      'Limit the rate of submits',
      {
        submit: 'Set the limit',
        label: `Rate limit of ${id}`,
        act: (fields) => setLimit(path, fields),
        more: h(ActionButton, { disabled: rateLimit === null, act: noLimit }, 'No limit'),
      },
      numberField('Submits', 'limit', { required: true }),
      numberField('in seconds', 'seconds', { min: 0.001, step: 'any', required: true, defaultValue: '1' }),
      numberField('At once', 'burst', {}, { hint: 'empty: as many' }),
      choiceField('Retry-After', 'retryAfter', options(RETRY_AFTER)),
    ),
  );
}

/**
 * A form that is seldom wanted.
 *
 * @param {string} summary
 * @param {Omit<FormProps, 'children'> & { look?: string }} form
 * @param {...ComponentChildren} fields
 */
function unfolding(summary, { look, ...form }, ...fields) {
  return h(
    'details',
    { class: look },
    h('summary', null, summary),
    h(ActionForm, form, h('div', { class: 'fields' }, fields)),
  );
}

/** @param {string} iso */
function expiry(iso) {
  return [Date.parse(iso) > Date.now() ? 'until ' : 'expired ', time(iso)];
}

/** @param {RateLimit} limit */
function limitText({ limit, windowMs, burst }) {
  return `${number(limit)} in ${duration(windowMs)}${burst === undefined ? '' : `, ${number(burst)} at once`}`;
}

/** @param {FormData} fields */
function amounts(fields) {
  const wanted = POOLS.map(([pool]) => [pool, numberOf(fields, pool)]);
  return Object.fromEntries(wanted.filter(([, amount]) => amount !== undefined));
}

/**
 * @param {string} path
 * @param {FormData} fields
 */
async function topUp(path, fields) {
  const amount = numberOf(fields, 'amount') ?? 0;
  await control(`POST ${path}/credits/top-up`, { [textOf(fields, 'pool')]: amount });
  return `${counted(amount, 'credit')} were added.`;
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
