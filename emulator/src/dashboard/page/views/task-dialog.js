/** @import { ComponentChildren } from '../preact.js' */
/** @import { Charge, State, Task } from '../types.d.ts' */
import { control } from '../control.js';
import { loadOpenTask } from '../load.js';
import { h } from '../preact.js';
import { confirmed, state } from '../store.js';
import { ActionButton } from '../ui/action-button.js';
import { ActionForm } from '../ui/action-form.js';
import { taskBadge } from '../ui/badge.js';
import { copyButton } from '../ui/copy-button.js';
import { dialogTitle } from '../ui/dialog.js';
import { fact } from '../ui/fact.js';
import { choiceField, named, options, textField, textOf } from '../ui/field.js';
import { JsonBlock } from '../ui/json-block.js';
import { players } from '../ui/media.js';
import { time } from '../ui/time.js';
import { counted, duration, number } from '../ui/words.js';

const ENDED = new Set(['COMPLETED', 'FAILED', 'CANCELED']);

/** What will become of a task that somebody or a fault has its hands on. */
const FATES = /** @type {Record<string, string>} */ ({
  fail: 'is going to fail',
  cancel: 'is going to be canceled',
  hang: 'hangs',
  vanish: 'is going to vanish',
});

/** @param {State} state */
export function taskDialog({ openTask, route }) {
  if (openTask === null) return h('p', { class: 'empty' }, 'Loading…');
  const { task, charge } = openTask;
  if (task === null) {
    return [
      dialogTitle('No such task'),
      h('p', { class: 'empty' }, `There is no task ${route.id} here any more.`),
    ];
  }
  return [
    dialogTitle(task.model, taskBadge(task)),
    h(
      'div',
      { class: task.outputs.length === 0 ? '' : 'beside' },
      task.outputs.length === 0 ? null : h('div', { class: 'outputs' }, players(task)),
      h(
        'div',
        null,
        task.code === undefined
          ? null
          : h('p', { class: 'failure' }, h('code', null, task.code), ` ${task.message ?? ''}`),
        task.prompt === '' ? null : h('p', { class: 'whole-prompt' }, task.prompt),
        h('dl', { class: 'facts' }, facts(task, charge)),
      ),
    ),
    h('section', { 'aria-label': 'What can be done to the task' }, actions(task)),
    h('h3', null, 'Input'),
    h(JsonBlock, { label: 'Input', value: task.input }),
    h('h3', null, 'Data'),
    h(JsonBlock, { label: 'Data', value: task.data }),
  ];
}

/**
 * @param {Task} task
 * @param {Charge | null} charge
 */
function facts(task, charge) {
  const { usage } = task;
  return [
    fact('Task', [h('code', null, task.id), ' ', copyButton(task.id, 'the id of the task')]),
    fact('Workflow', task.workflow ?? 'nobody’s: the submit named none'),
    fact('Workspace', task.workspace),
    task.template === null ? null : fact('Template', task.template.name),
    fact('Created', time(task.createdAt)),
    fact(
      'Started',
      task.startedAt === null ? '–' : [time(task.startedAt), after(task.createdAt, task.startedAt)],
    ),
    fact(
      'Ended',
      task.completedAt === null ? '–' : [time(task.completedAt), after(task.createdAt, task.completedAt)],
    ),
    FATES[task.fate.kind] === undefined || ENDED.has(task.status)
      ? null
      : fact('Fate', `It ${FATES[task.fate.kind]}.`),
    fact('Asked for', counted(task.gets, 'time')),
    fact(
      'Usage',
      `${counted(usage.total, 'credit')}: ${number(usage.subscription)} of the subscription, ${number(usage.permanent)} permanent`,
    ),
    fact('Charge', charge === null ? 'none' : chargeText(charge)),
  ];
}

/** @param {Charge} charge */
function chargeText({ credits, answered, refund }) {
  const told = answered ? 'the answer was sent whole' : 'the answer did not get out whole';
  const back = refund === null ? '' : `; ${number(refund.credits)} given back (${refund.reason})`;
  return `${counted(credits, 'credit')}; ${told}${back}`;
}

/**
 * @param {string} from
 * @param {string} to
 */
function after(from, to) {
  return h('small', null, ` after ${duration(Date.parse(to) - Date.parse(from))}`);
}

/** @param {Task} task */
function actions(task) {
  const ended = ENDED.has(task.status);
  /** @type {(text: string, how: string, done: string, disabled: boolean, look?: string) => ComponentChildren} */
  const button = (text, how, done, disabled, look = '') =>
    h(ActionButton, { act: () => force(task, how, done), disabled, class: look }, text);
  return [
    h(
      'div',
      { class: 'buttons' },
      button('Finish now', 'finish', 'It finishes as soon as its files are there.', ended),
      button('Start now', 'start', 'It has started.', task.status !== 'IN_QUEUE'),
      button('Hang', 'hang', 'It stays as it is from now on.', ended),
      button('Cancel', 'cancel', 'It is canceled.', ended, 'danger'),
      h(ActionButton, { act: () => vanish(task), disabled: task.vanished, class: 'danger' }, 'Vanish'),
    ),
    ended
      ? null
      : h(
          ActionForm,
          { submit: 'Fail', class: 'row', label: 'Let the task fail', act: (fields) => fail(task, fields) },
          choiceField('Code', 'code', options(named(state.overview?.codes ?? []), 'FAILED')),
          textField('Message', 'message', { maxLength: 500, placeholder: 'the code’s own' }),
        ),
  ];
}

/**
 * @param {Task} task
 * @param {string} how
 * @param {string} done
 * @param {object} [body]
 */
async function force({ id }, how, done, body) {
  await control(`POST /tasks/${encodeURIComponent(id)}/${how}`, body);
  await loadOpenTask(id);
  return done;
}

/**
 * @param {Task} task
 * @param {FormData} fields
 */
function fail(task, fields) {
  const message = textOf(fields, 'message');
  const body = { code: textOf(fields, 'code'), ...(message === '' ? {} : { message }) };
  return force(task, 'fail', 'It has failed.', body);
}

/** @param {Task} task */
function vanish(task) {
  const question = {
    text: 'Let the task vanish?',
    detail:
      'Asked for, it will not be found any more, and nothing more is told about it. This cannot be undone.',
    action: 'Vanish',
  };
  return confirmed(question, () => force(task, 'vanish', 'It has vanished.'));
}
