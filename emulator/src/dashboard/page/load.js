/** @import { Charge, Counters, Delivery, LedgerSummary, Overview, Task } from './types.d.ts' */
import { control, Refusal } from './control.js';
import { paced } from './paced.js';
import { changed, state } from './store.js';

export const TASKS_A_PAGE = 25;
const WORKFLOWS_SHOWN = 50;

/** Workspaces, keys, endpoints, templates and faults. */
export async function loadOverview() {
  /** @type {Overview} */
  const overview = await control('GET /state');
  state.overview = overview;
  changed();
}

export async function loadCounters() {
  /** @type {Counters} */
  const counters = await control('GET /counters');
  state.counters = counters;
  changed();
}

let taskLoads = 0;

/** The page of tasks that is looked at. */
export async function loadTasks() {
  const { tasks } = state;
  const wanted = Object.entries({ ...tasks.filter, before: tasks.cursors.at(-1) ?? '' });
  const query = new URLSearchParams(wanted.filter(([, value]) => value !== ''));
  query.set('limit', String(TASKS_A_PAGE + 1));
  taskLoads += 1;
  const load = taskLoads;
  /** @type {Task[]} */
  const found = await control(`GET /tasks?${query}`).catch((error) => {
    // The page's beginning is forgotten: back to the first one.
    if (!(error instanceof Refusal && error.status === 404)) throw error;
    tasks.cursors = [];
    return control(`GET /tasks?limit=${TASKS_A_PAGE + 1}`);
  });
  // A later load, with another filter perhaps, has overtaken this one.
  if (load !== taskLoads) return;
  tasks.list = found.slice(0, TASKS_A_PAGE);
  tasks.more = found.length > TASKS_A_PAGE;
  tasks.loaded = true;
  tasks.stale = false;
  changed();
}

/**
 * One task with its charge, which may be on no page of the list.
 *
 * @param {string} id
 */
export async function loadOpenTask(id) {
  const name = encodeURIComponent(id);
  /** @type {Task | null} */
  const task = await control(`GET /tasks/${name}`).catch(nullWhereMissing);
  /** @type {{ charges: Charge[] }} */
  const { charges } = await control(`GET /ledger?taskId=${name}`);
  if (state.route.view !== 'tasks' || state.route.id !== id) return;
  state.openTask = { id, task, charge: charges[0] ?? null };
  changed();
}

let deliveryLoads = 0;

export async function loadDeliveries() {
  const { deliveries } = state;
  const of = deliveries.endpoint === '' ? '' : `/endpoints/${encodeURIComponent(deliveries.endpoint)}`;
  deliveryLoads += 1;
  const load = deliveryLoads;
  /** @type {Delivery[] | null} */
  const found = await control(`GET ${of}/deliveries`).catch(nullWhereMissing);
  if (load !== deliveryLoads) return;
  deliveries.list = found ?? [];
  deliveries.loaded = true;
  deliveries.stale = false;
  changed();
}

/** @param {string} id */
async function loadOpenDelivery(id) {
  /** @type {Delivery | null} */
  const delivery = await control(`GET /deliveries/${encodeURIComponent(id)}`).catch(nullWhereMissing);
  if (state.route.view !== 'deliveries' || state.route.id !== id) return;
  state.openDelivery = { id, delivery };
  changed();
}

export async function loadLedger() {
  const query = new URLSearchParams({ limit: String(WORKFLOWS_SHOWN), search: state.ledger.search });
  /** @type {LedgerSummary} */
  const summary = await control(`GET /ledger/summary?${query}`);
  state.ledger.summary = summary;
  changed();
}

/** The same, for changes that come often. */
export const refresh = {
  overview: paced(1000, loadOverview),
  counters: paced(1000, loadCounters),
  tasks: paced(700, loadTasks),
  deliveries: paced(700, loadDeliveries),
  ledger: paced(2000, loadLedger),
  openTask: paced(700, async () => {
    if (state.openTask !== null) await loadOpenTask(state.openTask.id);
  }),
  openDelivery: paced(700, async () => {
    if (state.openDelivery !== null) await loadOpenDelivery(state.openDelivery.id);
  }),
};

/** What is looked at and is not there yet, or may be old. */
export async function loadView() {
  const { view, route } = state;
  await Promise.all([
    view === 'tasks' ? loadTasks() : undefined,
    view === 'deliveries' ? loadDeliveries() : undefined,
    view === 'usage' ? loadLedger() : undefined,
    route.view === 'tasks' && route.id !== '' ? loadOpenTask(route.id) : undefined,
    route.view === 'deliveries' && route.id !== '' ? loadOpenDelivery(route.id) : undefined,
  ]);
}

/**
 * @param {unknown} error
 * @returns {null}
 */
function nullWhereMissing(error) {
  if (error instanceof Refusal && error.status === 404) return null;
  throw error;
}
