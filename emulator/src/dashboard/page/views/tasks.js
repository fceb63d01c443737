/** @import { State, Task, TaskState } from '../types.d.ts' */
import { loadTasks, TASKS_A_PAGE } from '../load.js';
import { h } from '../preact.js';
import { address } from '../route.js';
import { changed, notify, state } from '../store.js';
import { taskBadge } from '../ui/badge.js';
import { field } from '../ui/field.js';
import { heldBack, hold } from '../ui/hold.js';
import { miniature } from '../ui/media.js';
import { time } from '../ui/time.js';
import { counted, duration, number, TASK_STATES } from '../ui/words.js';
import { modelOptions, workspaceOptions } from './workspace-options.js';

const HOLD = hold(state.tasks, load);

/** @param {State} state */
export function tasksView({ tasks, counters, overview }) {
  return [
    h('h2', { id: 'tasks-title', tabIndex: -1 }, 'Tasks'),
    h(
      'search',
      { class: 'filters' },
      stateChoice(tasks.filter.status, counters?.tasks),
      field('Model', h('select', { onChange: choose('model') }, modelOptions('All models'))),
      (overview?.workspaces.length ?? 0) > 1
        ? field(
            'Workspace',
            h('select', { onChange: choose('workspace') }, workspaceOptions('All workspaces')),
          )
        : null,
      field(
        'Search',
        h('input', { type: 'search', placeholder: 'Prompt, task or workflow', onInput: choose('search') }),
        { class: 'wide' },
      ),
    ),
    heldBack(tasks, load),
    tasks.list.length === 0
      ? nothing(tasks)
      : h(
          'ol',
          { class: 'tasks', 'aria-labelledby': 'tasks-title', ...HOLD },
          tasks.list.map((task) => h('li', { key: task.id }, entry(task))),
        ),
    pages(tasks),
  ];
}

/** @param {Task} task */
function entry(task) {
  return [
    miniature(task),
    h(
      'div',
      { class: 'about' },
      h(
        'a',
        { href: address('tasks', task.id), class: 'cover' },
        h('strong', null, task.model),
        h('span', { class: 'prompt' }, task.prompt === '' ? 'no prompt' : task.prompt),
      ),
      h('small', { class: 'owner' }, task.workflow ?? 'nobody’s', ' · ', h('code', null, task.id)),
    ),
    h(
      'div',
      { class: 'status' },
      taskBadge(task),
      task.code === undefined ? null : h('small', null, withoutPrefix(task.code)),
    ),
    h('div', { class: 'cost' }, h('strong', null, number(task.usage.total)), h('small', null, ' credits')),
    h('div', { class: 'when' }, time(task.createdAt), h('small', null, ran(task))),
  ];
}

/**
 * The family is known from the model's name beside it.
 *
 * @param {string} code
 */
function withoutPrefix(code) {
  return code.replace(/^[A-Z]+_GENERATION_/, '');
}

/** @param {Task} task */
function ran({ startedAt, completedAt }) {
  if (startedAt === null) return completedAt === null ? 'waits' : 'never ran';
  if (completedAt === null) return 'runs';
  return `took ${duration(Date.parse(completedAt) - Date.parse(startedAt))}`;
}

/**
 * @param {string} chosen
 * @param {Record<TaskState, number> | undefined} counts
 */
function stateChoice(chosen, counts) {
  const all = counts === undefined ? undefined : Object.values(counts).reduce((sum, count) => sum + count, 0);
  /** @type {[string, string, number | undefined][]} */
  const choices = [
    ['', 'All', all],
    ...Object.entries(TASK_STATES).map(
      ([value, text]) =>
        /** @type {[string, string, number | undefined]} */ ([
          value,
          text,
          counts?.[/** @type {TaskState} */ (value)],
        ]), // its own keys
    ),
  ];
  return h(
    'fieldset',
    { class: 'choice' },
    h('legend', { class: 'unseen' }, 'State'),
    choices.map(([value, text, count]) =>
      h(
        'label',
        { key: value, class: value === chosen ? 'chosen' : '' },
        h('input', {
          type: 'radio',
          name: 'status',
          value,
          defaultChecked: value === '',
          onChange: choose('status'),
        }),
        text,
        h('span', { class: 'count' }, count === undefined ? '' : number(count)),
      ),
    ),
  );
}

/** @param {keyof State['tasks']['filter']} name */
function choose(name) {
  return (/** @type {{ currentTarget: HTMLInputElement | HTMLSelectElement }} */ { currentTarget }) => {
    state.tasks.filter[name] = currentTarget.value.trim();
    state.tasks.cursors = [];
    load();
  };
}

function load() {
  loadTasks().catch((error) => notify(String(error.message), true));
}

/** @param {State['tasks']} tasks */
function nothing({ loaded, filter }) {
  if (!loaded) return h('p', { class: 'empty' }, 'Loading…');
  if (Object.values(filter).some((value) => value !== '')) {
    return h('p', { class: 'empty' }, 'No task is like that.');
  }
  const { overview } = state;
  const model = overview?.models.find(({ id }) => id === 'image-l');
  return h(
    'div',
    { class: 'empty' },
    h('p', null, 'There are no tasks yet. Submit one, with a key from “API keys”:'),
    h(
      'pre',
      { class: 'json', tabIndex: 0, role: 'group', 'aria-label': 'An example of a submit' },
      `curl ${overview?.baseUrl ?? ''}/${model?.path ?? ''} \\\n` +
        "  -H 'Authorization: Bearer <API key>' -H 'Content-Type: application/json' \\\n" +
        '  -d \'{"prompt": "a lighthouse at dawn"}\'',
    ),
  );
}

/** @param {State['tasks']} tasks */
function pages({ cursors, list, more }) {
  /** @param {string[]} to */
  const turn = (to) => {
    state.tasks.cursors = to;
    load();
    document.getElementById('tasks-title')?.focus();
    changed();
  };
  const last = list.at(-1);
  const first = cursors.length * TASKS_A_PAGE + 1;
  return h(
    'nav',
    { class: 'pages', 'aria-label': 'Pages of tasks' },
    h(
      'button',
      { type: 'button', disabled: cursors.length === 0, onClick: () => turn(cursors.slice(0, -1)) },
      'Newer',
    ),
    h(
      'span',
      null,
      list.length === 0 ? '' : `${number(first)} – ${number(first + list.length - 1)}`,
      h('span', { class: 'unseen' }, ` of these tasks; this page shows ${counted(list.length, 'task')}`),
    ),
    h(
      'button',
      {
        type: 'button',
        disabled: !more,
        onClick: () => {
          if (last !== undefined) turn([...cursors, last.id]);
        },
      },
      'Older',
    ),
  );
}
