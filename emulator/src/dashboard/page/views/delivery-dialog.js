/** @import { Attempt, State } from '../types.d.ts' */
import { h } from '../preact.js';
import { address } from '../route.js';
import { deliveryBadge } from '../ui/badge.js';
import { dialogTitle } from '../ui/dialog.js';
import { fact } from '../ui/fact.js';
import { JsonBlock } from '../ui/json-block.js';
import { time } from '../ui/time.js';
import { duration } from '../ui/words.js';
import { answerOf, redeliverButton } from './deliveries.js';

/** @param {State} state */
export function deliveryDialog({ openDelivery, overview, route }) {
  if (openDelivery === null) return h('p', { class: 'empty' }, 'Loading…');
  const { delivery } = openDelivery;
  if (delivery === null) {
    return [
      dialogTitle('No such delivery'),
      h('p', { class: 'empty' }, `The delivery ${route.id} is not among the latest ones any more.`),
    ];
  }
  const endpoint = overview?.endpoints.find(({ id }) => id === delivery.endpointId);
  return [
    dialogTitle(delivery.type, deliveryBadge(delivery.state)),
    h(
      'dl',
      { class: 'facts' },
      fact('To', endpoint?.url ?? 'an endpoint that was removed'),
      fact('Event id', h('code', null, delivery.eventId)),
      fact(
        'Task',
        delivery.test
          ? 'none: a test delivery'
          : h('a', { href: address('tasks', delivery.taskId) }, delivery.taskId),
      ),
      fact('Created', time(delivery.createdAt)),
      delivery.nextAttemptAt === null ? null : fact('Next attempt', time(delivery.nextAttemptAt)),
      delivery.fault === null ? null : fact('Fault', delivery.fault.kind),
    ),
    h('div', { class: 'buttons' }, redeliverButton(delivery)),
    h('h3', null, 'Attempts'),
    delivery.attempts.length === 0
      ? h('p', null, 'None yet.')
      : h('ol', { class: 'attempts' }, delivery.attempts.map(attemptEntry)),
    h('h3', null, 'Payload'),
    h(JsonBlock, { label: 'Payload', value: delivery.payload }),
  ];
}

/**
 * @param {Attempt} attempt
 * @param {number} index
 */
function attemptEntry(attempt, index) {
  return h(
    'li',
    { key: attempt.at },
    h(
      'p',
      null,
      time(attempt.at),
      ` ${answerOf(attempt)}, `,
      h('small', null, `after ${duration(attempt.took)}`),
    ),
    attempt.answer === ''
      ? null
      : h(
          'pre',
          {
            class: 'json',
            tabIndex: 0,
            role: 'group',
            'aria-label': `The receiver’s answer to attempt ${index + 1}`,
          },
          attempt.answer,
        ),
  );
}
