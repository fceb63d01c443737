/** The control API's answers, as far as the page reads them (docs/emulator.md). Times are ISO 8601. */

export type TaskState = 'IN_QUEUE' | 'IN_PROGRESS' | 'COMPLETED' | 'FAILED' | 'CANCELED';
type EventType = `task.${'created' | 'started' | 'completed' | 'failed' | 'canceled'}`;
export type Json = Record<string, unknown>;

interface Usage {
  total: number;
  subscription: number;
  permanent: number;
}

export interface Output {
  fileName: string;
  contentType: string;
  size: number;
  width: number | null;
  height: number | null;
  duration: number | null;
}

export interface Task {
  id: string;
  status: TaskState;
  model: string;
  workspace: string;
  workflow: string | null;
  /** Also the text that is spoken. */
  prompt: string;
  template: { id: string; name: string } | null;
  input: Json;
  data: unknown;
  usage: Usage;
  code?: string;
  message?: string;
  createdAt: string;
  startedAt: string | null;
  completedAt: string | null;
  finishDue: string;
  fate: { kind: string };
  vanished: boolean;
  gets: number;
  outputs: Output[];
}

export interface Attempt {
  at: string;
  took: number;
  status: number | null;
  answer: string;
  error: string | null;
}

export interface Delivery {
  id: string;
  eventId: string;
  endpointId: string;
  workspace: string;
  type: EventType;
  taskId: string;
  test: boolean;
  state: 'pending' | 'processing' | 'success' | 'failed';
  attempts: Attempt[];
  createdAt: string;
  nextAttemptAt: string | null;
  fault: { kind: string } | null;
  payload: Json;
}

export interface Endpoint {
  id: string;
  workspace: string;
  url: string;
  events: EventType[];
  enabled: boolean;
  createdAt: string;
  /** Newest first. */
  secrets: { hint: string; createdAt: string; expiresAt: string | null }[];
}

export interface Key {
  id: string;
  name: string;
  hint: string;
  workspace: string;
  otherWorkspaces: string[];
  scope: string[];
  createdAt: string;
  revokedAt: string | null;
}

export interface RateLimit {
  limit: number;
  windowMs: number;
  burst?: number;
  retryAfter: 'seconds' | 'date' | 'none';
}

export interface Workspace {
  id: string;
  name: string;
  credits: {
    permanent: number;
    subscription: number;
    subscription_expires_at: string;
    available: number;
  };
  rateLimit: RateLimit | null;
}

export interface Template {
  id: string;
  name: string;
  model: string | null;
  workspace: string | null;
  input: Json;
}

export interface Fault {
  id: string;
  on: 'submit' | 'get' | 'credits' | 'task' | 'webhook' | 'file';
  match: Record<string, string>;
  nth?: number | number[];
  share?: number;
  times?: number;
  fault: { kind: string } & Json;
  seen: number;
  injected: number;
}

export interface Overview {
  url: string;
  baseUrl: string;
  speed: number;
  seed: number;
  models: { id: string; path: string }[];
  codes: string[];
  events: EventType[];
  scopes: string[];
  workspaces: Workspace[];
  keys: Key[];
  endpoints: Endpoint[];
  templates: Template[];
  faults: Fault[];
}

export interface Counters {
  since: string;
  requests: Record<string, number>;
  answers: Record<string, number>;
  /** By `<on>.<kind>`. */
  faults: Record<string, number>;
  tasks: Record<TaskState, number>;
  deliveries: Record<'created' | 'attempts' | 'success' | 'failed' | 'pending' | 'processing', number>;
  gets: { total: number };
}

export interface Totals {
  charges: number;
  credits: number;
  refunds: number;
  refundedCredits: number;
}

export interface ChargedTask {
  taskId: string;
  model: string;
  workspace: string;
  workflow: string | null;
  status: TaskState | null;
  credits: number;
  answered: boolean;
  at: string;
}

export interface LedgerSummary {
  totals: Totals;
  models: (Totals & { model: string })[];
  workspaces: (Totals & { workspace: string })[];
  workflows: {
    count: number;
    boughtAgain: number;
    latest: (Totals & { workflow: string; boughtAgain: number; at: string })[];
  };
  unanswered: Totals & { latest: ChargedTask[] };
  unowned: Totals & { latest: ChargedTask[] };
}

export interface Charge {
  taskId: string;
  keyId: string;
  credits: number;
  usage: Usage;
  at: string;
  workflow: string | null;
  answered: boolean;
  refund: { at: string; credits: number; reason: string } | null;
}

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
