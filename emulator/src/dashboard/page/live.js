/** @import { Delivery, Endpoint, Fault, Key, Overview, Task, Template, Workspace } from './types.d.ts' */
import { loadCounters, loadOverview, loadView, refresh } from './load.js';
import { changed, state } from './store.js';

/** @typedef {{ kind: string, id: string, value: any }} Change `id` "*": so many that only the list tells; `value` null: gone */

/** Keeps the page as the emulator is, through its stream of changes; a browser connects again by itself. */
export function goLive() {
  const stream = new EventSource('control/events');
  stream.addEventListener('open', () => {
    state.connection = 'live';
    changed();
    void loadAll();
  });
  stream.addEventListener('error', () => {
    state.connection = 'lost';
    changed();
    // A browser gives up when it is answered with anything but a stream.
    if (stream.readyState === EventSource.CLOSED) setTimeout(goLive, 3000);
  });
  stream.addEventListener('message', ({ data }) => {
    if (document.hidden) {
      missed = true;
      return;
    }
    for (const change of JSON.parse(data).changes) apply(change);
    refresh.counters();
    changed();
  });
}

/** Whether something was told while nobody looked. */
let missed = false;

document.addEventListener('visibilitychange', () => {
  if (document.hidden || !missed) return;
  missed = false;
  void loadAll();
});

/** Reads everything anew. */
async function loadAll() {
  await Promise.all([loadOverview(), loadCounters(), loadView()]).catch(() => {});
}

/** @param {Change} change */
function apply({ kind, id, value }) {
  APPLY[kind]?.(id, value);
}

/** @type {Record<string, (id: string, value: any) => void>} */
const APPLY = {
  task: applyTask,
  delivery: applyDelivery,
  workspace: (id, /** @type {Workspace | null} */ value) => applyTo('workspaces', id, value),
  key: (id, /** @type {Key | null} */ value) => applyTo('keys', id, value),
  endpoint: (id, /** @type {Endpoint | null} */ value) => applyTo('endpoints', id, value),
  template: (id, /** @type {Template | null} */ value) => applyTo('templates', id, value),
  fault: (id, /** @type {Fault | null} */ value) => applyTo('faults', id, value),
  ledger: (id) => {
    if (state.view === 'usage') refresh.ledger();
    if (state.openTask?.id === id) refresh.openTask();
  },
  reset: () => {
    state.tasks.cursors = [];
    state.secrets = {};
    void loadAll();
  },
};

/**
 * @param {string} id
 * @param {Task | null} value
 */
function applyTask(id, value) {
  const { tasks, openTask } = state;
  if (value !== null) {
    tasks.list = tasks.list.map((task) => (task.id === id ? value : task));
    if (openTask?.id === id) state.openTask = { ...openTask, task: value };
  }
  if (state.view !== 'tasks') return;
  if (id === '*') refresh.openTask();
  if (tasks.held) tasks.stale ||= id === '*' || !tasks.list.some((task) => task.id === id);
  else refresh.tasks();
}

/**
 * @param {string} id
 * @param {Delivery | null} value
 */
function applyDelivery(id, value) {
  const { deliveries, openDelivery } = state;
  if (value !== null && openDelivery?.id === id) state.openDelivery = { id, delivery: value };
  if (state.view !== 'deliveries') return;
  if (id === '*') refresh.openDelivery();
  if (!deliveries.held) refresh.deliveries();
  else if (value === null || !deliveries.list.some((delivery) => delivery.id === id)) deliveries.stale = true;
  else deliveries.list = deliveries.list.map((delivery) => (delivery.id === id ? value : delivery));
}

/**
 * @template {'workspaces' | 'keys' | 'endpoints' | 'templates' | 'faults'} Name
 * @param {Name} name
 * @param {string} id
 * @param {Overview[Name][number] | null} value
 */
function applyTo(name, id, value) {
  if (state.overview === null || id === '*') {
    refresh.overview();
    return;
  }
  /** @type {(typeof value)[]} */
  const list = state.overview[name];
  const place = list.findIndex((one) => one?.id === id);
  if (value === null) list.splice(place, place === -1 ? 0 : 1);
  else if (place === -1) list.push(value);
  else list[place] = value;
}
