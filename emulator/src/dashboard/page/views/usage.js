/** @import { ChargedTask, LedgerSummary, State, Totals } from '../types.d.ts' */
/** @import { Column } from '../ui/table.js' */
import { loadLedger } from '../load.js';
import { h } from '../preact.js';
import { address } from '../route.js';
import { notify, state } from '../store.js';
import { badge } from '../ui/badge.js';
import { figure } from '../ui/fact.js';
import { field } from '../ui/field.js';
import { table } from '../ui/table.js';
import { time } from '../ui/time.js';
import { counted, number, TASK_STATES } from '../ui/words.js';

/** @param {State} state */
export function usageView({ ledger: { summary } }) {
  return [
    h('h2', { id: 'usage-title', tabIndex: -1 }, 'Usage'),
    summary === null
      ? h('p', { class: 'empty' }, 'Loading…')
      : [figures(summary), byModel(summary), byWorkspace(summary)],
    h('h3', null, 'By workflow'),
    h(
      'search',
      { class: 'filters' },
      field(
        'Search',
        h('input', { type: 'search', placeholder: 'Part of a workflow’s id', onInput: search }),
        { class: 'wide' },
      ),
    ),
    summary === null ? null : byWorkflow(summary),
    h('h3', null, 'Lost answers'),
    h('p', { class: 'lead' }, 'Tasks that were made and charged, but whose answer did not get out whole.'),
    summary === null ? null : tasks('Lost answers', summary.unanswered),
    h('h3', null, 'Tasks that nobody owns'),
    h('p', { class: 'lead' }, 'Their submit named no workflow.'),
    summary === null ? null : tasks('Tasks that nobody owns', summary.unowned),
  ];
}

/** @param {LedgerSummary} summary */
function figures({ totals, unanswered, unowned, workflows }) {
  const { charges, credits, refunds, refundedCredits } = totals;
  return h(
    'dl',
    { class: 'figures panel' },
    figure('Charged', number(credits), `for ${counted(charges, 'task')}`),
    figure('Given back', number(refundedCredits), `for ${counted(refunds, 'task')}`),
    figure('Bought again', number(workflows.boughtAgain), 'though the task before had not failed'),
    figure('Lost answers', number(unanswered.charges), counted(unanswered.credits, 'credit')),
    figure('Nobody’s tasks', number(unowned.charges), counted(unowned.credits, 'credit')),
  );
}

/** @type {readonly Column<Totals>[]} */
const SUMS = [
  { name: 'Tasks', cell: ({ charges }) => number(charges), class: 'number' },
  { name: 'Credits', cell: ({ credits }) => number(credits), class: 'number' },
  { name: 'Given back', cell: ({ refundedCredits }) => number(refundedCredits), class: 'number' },
];

/** @param {LedgerSummary} summary */
function byModel({ models }) {
  if (models.length === 0) return h('p', { class: 'empty' }, 'Nothing was charged yet.');
  return [
    h('h3', null, 'By model'),
    table('Usage by model', models, ({ model }) => model, [
      { name: 'Model', cell: ({ model }) => model },
      ...SUMS,
    ]),
  ];
}

/** @param {LedgerSummary} summary */
function byWorkspace({ workspaces }) {
  if (workspaces.length < 2) return null;
  return [
    h('h3', null, 'By workspace'),
    table('Usage by workspace', workspaces, ({ workspace }) => workspace, [
      { name: 'Workspace', cell: ({ workspace }) => workspace },
      ...SUMS,
    ]),
  ];
}

/** @param {LedgerSummary} summary */
function byWorkflow({ workflows: { count, latest } }) {
  if (count === 0) return h('p', { class: 'empty' }, 'No workflow is like that.');
  return [
    h(
      'p',
      { class: 'lead' },
      latest.length < count ? `The latest ${latest.length} of ${number(count)}.` : '',
    ),
    table('Usage by workflow', latest, ({ workflow }) => workflow, [
      { name: 'Workflow', cell: ({ workflow }) => workflow, class: 'id' },
      ...SUMS,
      {
        name: 'Bought again',
        cell: ({ boughtAgain }) => (boughtAgain === 0 ? '–' : badge('failed', number(boughtAgain))),
        class: 'number',
      },
      { name: 'Latest', cell: ({ at }) => time(at) },
    ]),
  ];
}

/**
 * @param {string} label
 * @param {Totals & { latest: ChargedTask[] }} list
 */
function tasks(label, { charges, latest }) {
  if (charges === 0) return h('p', { class: 'empty' }, 'None.');
  return [
    latest.length < charges
      ? h('p', { class: 'lead' }, `The latest ${latest.length} of ${number(charges)}.`)
      : null,
    table(label, latest, ({ taskId }) => taskId, [
      { name: 'Task', cell: ({ taskId }) => h('a', { href: address('tasks', taskId) }, taskId), class: 'id' },
      { name: 'Model', cell: ({ model }) => model },
      { name: 'Workflow', cell: ({ workflow }) => workflow ?? '–', class: 'id' },
      { name: 'State', cell: ({ status }) => (status === null ? 'forgotten' : TASK_STATES[status]) },
      { name: 'Credits', cell: ({ credits }) => number(credits), class: 'number' },
      { name: 'Time', cell: ({ at }) => time(at) },
    ]),
  ];
}

function search(/** @type {{ currentTarget: HTMLInputElement }} */ { currentTarget }) {
  state.ledger.search = currentTarget.value.trim();
  loadLedger().catch((error) => notify(String(error.message), true));
}
