/** What the page shows. What the control API answers is made of its own views (docs/emulator.md). */

import type { Template } from '../../accounts/templates.ts';
import type { LedgerSummary } from '../../control/ledger-summary.ts';
import type { counters, overview } from '../../control/state-routes.ts';
import type {
  chargeView,
  deliveryView,
  endpointView,
  faultView,
  keyView,
  taskView,
  workspaceView,
} from '../../control/views.ts';

export type { QueueState as TaskState } from '../../../../src/api/records/generation-record.ts';
export type { RateLimit } from '../../accounts/rate-limits.ts';
export type { LedgerSummary, Totals } from '../../control/ledger-summary.ts';
export type Json = Record<string, unknown>;
export type Task = ReturnType<typeof taskView>;
export type Output = Task['outputs'][number];
export type Delivery = ReturnType<typeof deliveryView>;
export type Attempt = Delivery['attempts'][number];
export type Endpoint = ReturnType<typeof endpointView>;
export type Key = ReturnType<typeof keyView>;
export type Workspace = ReturnType<typeof workspaceView>;
export type Fault = ReturnType<typeof faultView>;
export type Overview = ReturnType<typeof overview>;
export type Counters = ReturnType<typeof counters>;
export type ChargedTask = LedgerSummary['unowned']['latest'][number];
export type Charge = ReturnType<typeof chargeView>;
export type { Template };

export type ViewName =
  | 'tasks'
  | 'deliveries'
  | 'endpoints'
  | 'keys'
  | 'credits'
  | 'usage'
  | 'faults'
  | 'templates';

/** Which tasks the list shows. Empty: all of them. */
interface TaskFilter {
  status: string;
  model: string;
  workspace: string;
  search: string;
}

/** All that the page shows. */
export interface State {
  connection: 'connecting' | 'live' | 'lost';
  route: { view: ViewName; id: string };
  /** The view that is looked at, also beneath a thing that is open and may belong to another one. */
  view: ViewName;
  overview: Overview | null;
  counters: Counters | null;
  tasks: {
    filter: TaskFilter;
    /** The tasks after which the pages start; empty: the first page. */
    cursors: string[];
    list: Task[];
    more: boolean;
    loaded: boolean;
    /** Nothing is added or moved while somebody is about to choose one. */
    held: boolean;
    /** There are others by now. */
    stale: boolean;
  };
  /** The task that is open, with its charge. Null: it was not found. */
  openTask: { id: string; task: Task | null; charge: Charge | null } | null;
  deliveries: {
    endpoint: string;
    list: Delivery[];
    loaded: boolean;
    held: boolean;
    stale: boolean;
  };
  openDelivery: { id: string; delivery: Delivery | null } | null;
  ledger: { summary: LedgerSummary | null; search: string };
  /** Values that are shown once: of keys by `new-key`, of endpoints by their id. */
  secrets: Record<string, { title: string; value: string }>;
  question: {
    text: string;
    detail: string;
    action: string;
    answer: (yes: boolean) => void;
  } | null;
  notice: { text: string; bad: boolean } | null;
  /** What a screen reader is told. */
  announcement: string;
}
