import { Context } from '@temporalio/activity';
import { WorkflowClient, type WorkflowExecutionInfo } from '@temporalio/client';
import type { DarkroomActivities } from '../../src/contract/activities.ts';
import type { DarkroomOptions } from '../../src/worker/darkroom-options.ts';
import type { Point } from './hooks.ts';
import { placeOf } from './places.ts';
import type { FromWorker, ToWorker, Visibility, WorkerSetup } from './worker-messages.ts';

/** A worker of the explorer, in a process of its own: each of its activities says where it is, and waits to be let on. */

const waiting = new Map<number, () => void>();
let lastId = 0;
let visibility: Visibility = 'right';

const say = (message: FromWorker): void => {
  process.send?.(message, undefined, undefined, () => undefined); // the explorer may have ended
};

function pass(point: Point): Promise<void> {
  lastId += 1;
  const id = lastId;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    say({ kind: 'at', id, point });
  });
}

type List = WorkflowClient['list'];
const AWAY = 'visibility is away';
/** gRPC's status. */
const UNAVAILABLE = 14;

type Activity = (...arguments_: unknown[]) => Promise<unknown>;

/** Local ones, too: only the context tells where they run. */
function hooked(activities: DarkroomActivities): DarkroomActivities {
  const entries = Object.entries(activities as unknown as Record<string, Activity>).map(([what, work]) => {
    const wrapped: Activity = async (...arguments_) => {
      const { workflowId = '' } = Context.current().info.workflowExecution ?? {};
      if (placeOf(workflowId) === undefined) return await work(...arguments_);
      await pass({ workflowId, what, phase: 'before' });
      try {
        return await work(...arguments_);
      } finally {
        await pass({ workflowId, what, phase: 'after' });
      }
    };
    return [what, wrapped] as const;
  });
  return Object.fromEntries(entries) as unknown as DarkroomActivities; // the same names, the same types
}

/** What a client is told that looks for runs: nothing at all, or what was there a minute ago, when no cell had begun. */
function bendVisibility(): void {
  const right = Object.getOwnPropertyDescriptor(WorkflowClient.prototype, 'list')?.value as List; // its method
  WorkflowClient.prototype.list = function list(options) {
    const real = right.call(this, options);
    if (visibility === 'right') return real;
    const next = (): Promise<IteratorResult<WorkflowExecutionInfo>> =>
      visibility === 'away'
        ? Promise.reject(Object.assign(new Error(AWAY), { code: UNAVAILABLE, details: AWAY, metadata: {} }))
        : Promise.resolve({ done: true, value: undefined });
    return { ...real, [Symbol.asyncIterator]: () => ({ next }) };
  };
}

function shiftClock(ahead: number): void {
  if (ahead === 0) return;
  const RealDate = Date;
  const now = (): number => RealDate.now() + ahead;
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, given, newTarget) =>
      Reflect.construct(target, given.length === 0 ? [now()] : given, newTarget) as Date,
    get: (target, name, receiver) =>
      name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
  });
}

async function start({ config, own, worker, receiver, clockAhead }: WorkerSetup): Promise<void> {
  shiftClock(clockAhead);
  // After the clock: what they remember of it is the shifted one.
  const { startDarkroom } = await import('../../src/worker/start-darkroom.ts');
  const { quietTemporal } = await import('../../src/worker/log.ts');
  const log = {
    debug() {},
    info() {},
    warn: (fields: object, message = '') => {
      if (process.env['EXPLORE_LOG'] !== undefined)
        process.stderr.write(`worker: ${message} ${JSON.stringify(fields)}\n`);
    },
  };
  quietTemporal(log);
  const options: DarkroomOptions = {
    worker,
    receiver,
    preflight: false,
    log,
    audit: { after: 300, every: 200, longest: 1_000, last: 2_000 },
    activities: hooked,
  };
  const darkroom = await startDarkroom({ ...config, workspaces: new Map(config.workspaces) }, options);
  void darkroom.failed.catch((error: unknown) => fail(error));
  if (worker) await startOwn(config.temporal, own);
  say({ kind: 'running', webhookUrl: darkroom.webhookUrl });
}

/** Somebody's own worker, which has their workflows and nothing of Darkroom's. */
async function startOwn(
  { address, namespace }: WorkerSetup['config']['temporal'],
  { taskQueue, code }: WorkerSetup['own'],
): Promise<void> {
  const { NativeConnection, Worker } = await import('@temporalio/worker');
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({ connection, namespace, taskQueue, workflowBundle: { code } });
  worker.run().catch(fail);
}

function fail(error: unknown): void {
  say({ kind: 'failed', message: error instanceof Error ? (error.stack ?? error.message) : String(error) });
}

bendVisibility();
process.on('message', (message: ToWorker) => {
  if (message.kind === 'setup') start(message.setup).catch(fail);
  else if (message.kind === 'visibility') visibility = message.is;
  else {
    waiting.get(message.id)?.();
    waiting.delete(message.id);
  }
});
process.once('disconnect', () => process.exit(0));
say({ kind: 'hello' });
