import type { ServerResponse } from 'node:http';
import type { Service } from '../service.ts';
import type { Change, ChangeKind, Changes } from '../storage/changes.ts';
import { deliveryView, endpointView, faultView, keyView, taskView, workspaceView } from './views.ts';

/** Changes are collected this long (ms), so that a busy emulator does not drown its dashboard. */
const PAUSE = 150;

/** More changes than this at a time are told as one, "many": read the list instead. */
const MOST = 100;

/** What a thing looks like now; null: it is gone. Charges are read with the ledger. */
const VIEWS: Readonly<Record<ChangeKind, (service: Service, id: string) => unknown>> = {
  task: (service, id) => mapped(service.tasks.get(id), (task) => taskView(service, task)),
  delivery: (service, id) => mapped(service.deliveries.log.get(id), deliveryView),
  workspace: (service, id) => mapped(service.accounts.workspace(id), workspaceView),
  key: (service, id) => mapped(service.accounts.key(id), keyView),
  endpoint: (service, id) => mapped(service.endpoints.get(id), endpointView),
  template: (service, id) => service.templates.get(id) ?? null,
  fault: (service, id) => mapped(service.faults.get(id), faultView),
  ledger: () => null,
  reset: () => null,
};

/**
 * Server-Sent Events: each message is `{ changes: [{ kind, id, value }] }`, `value` being the thing as its own
 * route shows it. `{ kind, id: "*" }` stands for more than 100 changes of that kind.
 */
export function streamChanges(current: () => Service, changes: Changes, response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  // A browser whose stream broke comes back after a second, not after its usual three.
  response.write('retry: 1000\n\n');
  const collected = new Map<string, Change>();
  const many = new Set<ChangeKind>();
  let timer: NodeJS.Timeout | undefined;

  const flush = (): void => {
    // A page that is asleep does not read: what it misses is collected, not piled up in this process's memory.
    if (response.writableNeedDrain) {
      response.once('drain', flush);
      return;
    }
    timer = undefined;
    const list = [
      ...[...many].map((kind) => ({ kind, id: '*', value: null })),
      ...[...collected.values()]
        .filter(({ kind }) => !many.has(kind))
        .map(({ kind, id }) => ({ kind, id, value: VIEWS[kind](current(), id) })),
    ];
    collected.clear();
    many.clear();
    response.write(`data: ${JSON.stringify({ changes: list })}\n\n`);
  };
  const unsubscribe = changes.subscribe((change) => {
    if (collected.size >= MOST) many.add(change.kind);
    else collected.set(`${change.kind} ${change.id}`, change);
    timer ??= setTimeout(flush, PAUSE);
  });
  response.on('close', () => {
    unsubscribe();
    clearTimeout(timer);
  });
}

function mapped<T>(thing: T | undefined, view: (thing: T) => unknown): unknown {
  return thing === undefined ? null : view(thing);
}
