import { keysOf } from '../json/keys-of.ts';

/** Event types with the state they report (API specification, Events). */
export const EVENT_STATES = {
  'task.created': 'queued',
  'task.started': 'running',
  'task.completed': 'succeeded',
  'task.failed': 'failed',
  'task.canceled': 'canceled',
} as const;

export type EventType = keyof typeof EVENT_STATES;
export const EVENT_TYPES = keysOf(EVENT_STATES);

/** Events after which a task's record no longer changes. */
export const TERMINAL_EVENTS: ReadonlySet<string> = new Set<EventType>([
  'task.completed',
  'task.failed',
  'task.canceled',
]);
