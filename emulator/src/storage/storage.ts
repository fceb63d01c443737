/** The kinds of things that survive a restart. Each is one table of JSON values by id. */
export const TABLES = [
  'settings',
  'workspaces',
  'keys',
  'endpoints',
  'templates',
  'tasks',
  'charges',
  'deliveries',
  'faults',
  'uploads',
] as const;
export type TableName = (typeof TABLES)[number];

/** One kind's durable copy. The emulator works on its own objects in memory and writes each change here. */
export interface Table<T> {
  /** Everything stored, in the order in which it was first put. */
  all(): T[];
  put(id: string, value: T): void;
  remove(id: string): void;
}

export interface Storage {
  table<T>(name: TableName): Table<T>;
  /** All writes of `work` are stored together or not at all. Calls may be nested. */
  atomically<R>(work: () => R): R;
  /** Forgets everything. */
  clear(): void;
  close(): void;
}

/** Nothing survives: for an emulator without a file. */
export function forgetfulStorage(): Storage {
  const nothing: Table<never> = { all: () => [], put: () => undefined, remove: () => undefined };
  return {
    table: () => nothing,
    atomically: (work) => work(),
    clear: () => undefined,
    close: () => undefined,
  };
}
